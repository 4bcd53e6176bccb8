import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import { deferred } from '../../base/deferred.ts';
import { pathForbidden, unauthorized } from '../../kinds/meta/api-error.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('metrics', () => {
  let server: RunningServer;
  afterEach(() => server.close());

  async function value(name: string): Promise<number | undefined> {
    const { text } = await server.send('GET', '/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  }

  it('count requests by what was asked and how it was answered', async () => {
    server = await startServer();
    await server.send('POST', maps, { body: { metadata: { name: 'one' } } });
    await server.send('GET', `${maps}/one`);
    await server.send('GET', `${maps}/two`);
    await server.send('GET', '/api/v1/configmaps');
    await server.send('PUT', maps);
    const labels = (verb: string, scope: string): string =>
      `verb="${verb}",group="",version="v1",resource="configmaps",subresource="",scope="${scope}"`;
    assert.equal(await value(`apiserver_request_total{${labels('POST', 'namespace')},code="200"}`), 1);
    assert.equal(await value(`apiserver_request_total{${labels('GET', 'resource')},code="200"}`), 1);
    assert.equal(await value(`apiserver_request_total{${labels('GET', 'resource')},code="404"}`), 1);
    assert.equal(await value(`apiserver_request_total{${labels('LIST', 'cluster')},code="200"}`), 1);
    assert.equal(await value(`apiserver_request_duration_seconds_count{${labels('GET', 'resource')}}`), 2);
  });

  it('count sub-resources and documents apart', async () => {
    server = await startServer();
    await server.send('PUT', '/api/v1/namespaces/default/pods/web/status', { body: {} });
    await server.send('GET', '/version');
    await server.send('GET', '/healthz');
    await server.send('GET', '/made/up/by/the/client');
    const { text } = await server.send('GET', '/metrics');
    assert.match(text, /^apiserver_request_total\{verb="PUT",group="",version="v1",resource="pods",subresource="status",scope="resource",code="4\d\d"\} 1$/m); // prettier-ignore
    assert.match(text, /^apiserver_request_total\{verb="GET",.*resource="",subresource="\/version",.*code="200"\} 1$/m);
    assert.match(text, /^apiserver_request_total\{verb="GET",.*resource="",subresource="\/healthz",.*code="200"\} 1$/m);
    assert.match(text, /^apiserver_request_total\{verb="GET",.*resource="",subresource="",.*code="404"\} 1$/m);
    assert.doesNotMatch(text, /made/);
  });

  it('count requests that were refused before it was known what they want', async () => {
    const user = { name: 'tester', groups: [] };
    server = await startServer({
      async authenticate({ headers }) {
        if (headers.authorization) throw unauthorized('no');
        return user;
      },
    });
    await server.send('GET', maps, { headers: { Authorization: 'Bearer x' } });
    const { text } = await server.send('GET', '/metrics');
    assert.match(text, /^apiserver_request_total\{verb="GET",.*resource="",subresource="",.*code="401"\} 1$/m);
  });

  it('tell of open watches, and of the events they were sent', async () => {
    server = await startServer();
    await server.send('POST', maps, { body: { metadata: { name: 'one' } } });
    const watch = await server.watch(`${maps}?watch=true`);
    await watch.next();
    await server.send('POST', maps, { body: { metadata: { name: 'two' } } });
    await watch.next();
    const open = 'apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="configmaps",subresource="",scope="namespace"}'; // prettier-ignore
    assert.equal(await value(open), 1);
    assert.equal(await value('apiserver_watch_events_total{group="",version="v1",kind="ConfigMap"}'), 2);
    const closed = once(watch.response, 'close');
    watch.close();
    await closed;
    while ((await value(open)) !== 0);
  });

  it('tell how many requests are being answered', async () => {
    const gate = deferred<void>();
    const inside = deferred<void>();
    server = await startServer({
      async authorize(_user, { resource }) {
        if (resource !== 'configmaps') return;
        inside.resolve();
        await gate.promise;
      },
    });
    const held = server.send('GET', maps);
    await inside.promise;
    const reading = await value('apiserver_current_inflight_requests{request_kind="readOnly"}');
    const writing = await value('apiserver_current_inflight_requests{request_kind="mutating"}');
    gate.resolve();
    await held;
    // The request for the metrics is one itself.
    assert.deepEqual([reading, writing], [2, 0]);
    assert.equal(await value('apiserver_current_inflight_requests{request_kind="readOnly"}'), 1);
  });

  it('are the text that Prometheus reads', async () => {
    server = await startServer();
    await server.send('POST', maps, { body: { metadata: { name: 'one' } } });
    const { headers, text } = await server.send('GET', '/metrics');
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const sample = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*")(,[a-z_]+="([^"\\\n]|\\.)*")*\})? (-?[\d.e+-]+|NaN|[+-]Inf)$/;
    for (const line of text.trimEnd().split('\n')) assert.match(line, /^# (HELP|TYPE) [a-z_]+ .+$/.test(line) ? /^#/ : sample); // prettier-ignore
    assert.ok(text.endsWith('\n'));
  });

  it('can only be read, by those who may', async () => {
    server = await startServer({
      async authorize(_user, { path }) {
        if (path === '/metrics') throw pathForbidden('/metrics', 'no');
      },
    });
    assert.equal((await server.send('GET', '/metrics')).code, 403);
    await server.close();
    server = await startServer();
    assert.equal((await server.send('POST', '/metrics')).code, 405);
  });
});
