import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { silentLogger, type LogFields } from '../../base/logger.ts';
import { startServer, type RunningServer, type RunningServerOptions } from '../testing/running-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('every request', () => {
  let server: RunningServer;
  afterEach(() => server.close());

  async function start(options: RunningServerOptions = {}): Promise<void> {
    server = await startServer(options);
  }

  it('has an id, which its answer tells whatever it is', async () => {
    await start();
    await server.send('POST', maps, { body: { metadata: { name: 'one' } } });
    const paths = [
      '/api',
      '/healthz',
      '/metrics',
      '/version',
      maps,
      `${maps}/one`,
      `${maps}/none`,
      '/nowhere',
      '/api/v1/%zz',
    ];
    const seen = new Set<string>();
    for (const path of paths) {
      const { headers } = await server.send('GET', path);
      const id = String(headers['x-request-id']);
      assert.match(id, /^[0-9a-f-]{36}$/, path);
      assert.equal(headers['audit-id'], id, path);
      seen.add(id);
    }
    assert.equal(seen.size, paths.length);
  });

  it('keeps the id that the client gave it, unless that is unfit for a header', async () => {
    await start();
    const given = await server.send('GET', maps, { headers: { 'X-Request-Id': 'trace-1' } });
    assert.equal(given.headers['x-request-id'], 'trace-1');
    const odd = await server.send('GET', maps, { headers: { 'X-Request-Id': 'two words' } });
    assert.match(String(odd.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  });

  it('is answered with headers against sniffing and keeping', async () => {
    await start();
    const watch = await server.watch(`${maps}?watch=true`);
    const answers = [
      watch.response.headers,
      (await server.send('GET', '/healthz')).headers,
      (await server.send('GET', '/openapi/v2')).headers,
      (await server.send('GET', maps)).headers,
      (await server.send('HEAD', maps)).headers,
      (await server.send('PATCH', maps)).headers,
      (await server.send('GET', '/nowhere')).headers,
      (await server.send('GET', '/metrics')).headers,
    ];
    for (const headers of answers) {
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['cache-control']), /no-cache, private/);
    }
    watch.close();
  });

  it('is told in one line of the log, at the level of debugging', async () => {
    const lines: LogFields[] = [];
    const logger = { ...silentLogger, debug: (message: string, fields: LogFields = {}) => void (message === 'request' && lines.push(fields)) }; // prettier-ignore
    await start({ logger });
    await server.send('GET', `${maps}/none?pretty=true`, { headers: { 'X-Request-Id': 'r-1' } });
    const { milliseconds, ...rest } = lines[0] ?? {};
    assert.equal(typeof milliseconds, 'number');
    assert.deepEqual(rest, { method: 'GET', path: `${maps}/none`, user: 'tester', code: 404, requestId: 'r-1' });
  });
});
