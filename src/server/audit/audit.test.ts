import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { deferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { Metrics } from '../../base/metrics/metrics.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { forbidden } from '../../kinds/meta/api-error.ts';
import { startServer, type RunningServer, type RunningServerOptions } from '../testing/running-server.ts';
import { AuditLog } from './audit-log.ts';
import type { AuditLevel } from './audit-trail.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';

interface AuditLine {
  readonly [field: string]: unknown;
  readonly stage: string;
  readonly verb: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus: { readonly code: number; readonly reason?: string; readonly message?: string };
}

describe('the audit log', () => {
  let directory: string;
  let server: RunningServer;
  let audit: AuditLog;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'requests-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  async function start(level: AuditLevel, options: RunningServerOptions = {}): Promise<void> {
    const path = join(directory, 'audit.log');
    const parts = { clock: new SteppedClock(), logger: silentLogger, metrics: new Metrics() };
    audit = await AuditLog.open({ path, level, maxBytes: 1e6, maxBackups: 0, ...parts });
    server = await startServer({ ...options, audit });
  }

  async function lines(): Promise<AuditLine[]> {
    await server.close();
    await audit.close();
    const text = await readFile(join(directory, 'audit.log'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
  }

  it('says who did what to what, from where and when, and how it ended', async () => {
    await start('Metadata');
    const headers = { 'X-Request-Id': 'r-1', 'User-Agent': 'tests' };
    await server.send('POST', maps, { headers, body: { metadata: { name: 'one' }, data: { colour: 'blue' } } });
    const [line] = await lines();
    assert.deepEqual(line, {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'r-1',
      stage: 'ResponseComplete',
      requestURI: maps,
      verb: 'create',
      user: { username: 'tester', groups: [] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tests',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'one', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestReceivedTimestamp: '2030-01-01T00:00:00.000000Z',
      stageTimestamp: '2030-01-01T00:00:00.000000Z',
    });
  });

  it('says what was sent, when it is to', async () => {
    await start('Request');
    const body = { metadata: { name: 'one' }, data: { colour: 'blue' } };
    await server.send('POST', maps, { body });
    const patch = { data: { colour: 'red' } };
    await server.send('PATCH', `${maps}/one`, {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: patch,
    });
    await server.send('DELETE', `${maps}/one`, { body: { gracePeriodSeconds: 0 } });
    await server.send('POST', maps, { body: '{' });
    const [created, patched, deleted, broken] = await lines();
    assert.deepEqual(created?.['requestObject'], body);
    assert.deepEqual(patched?.['requestObject'], patch);
    assert.deepEqual(deleted?.['requestObject'], { gracePeriodSeconds: 0 });
    assert.equal(broken?.['requestObject'], undefined);
    assert.equal(broken?.responseStatus.code, 400);
  });

  it('never holds what is in a secret', async () => {
    await start('Request');
    const value = Buffer.from('do not tell').toString('base64');
    const body = { metadata: { name: 'login', annotations: { note: value } }, data: { password: value } };
    await server.send('POST', secrets, { body });
    await server.send('PUT', `${secrets}/login`, { body: { ...body, type: value } });
    await server.send('PATCH', `${secrets}/login`, {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { data: { password: value, 'wrong key!': value } },
    });
    await server.send('POST', secrets, { body: `{"data": ${value}` });
    await server.send('GET', `${secrets}/login`);
    const told = await lines();
    assert.deepEqual(
      told.map(({ verb, responseStatus }) => [verb, responseStatus.code]),
      [
        ['create', 200],
        ['update', 422],
        ['patch', 422],
        ['create', 400],
        ['get', 200],
      ],
    );
    assert.doesNotMatch(JSON.stringify(told), new RegExp(value.slice(0, 8)));
    for (const line of told) assert.equal(line['level'], 'Metadata');
  });

  it('tells of watches when they begin and when they end', async () => {
    await start('Metadata');
    const watch = await server.watch(`${maps}?watch=true&timeoutSeconds=5`);
    server.clock.step(5000);
    assert.deepEqual(await watch.rest(), []);
    const told = await lines();
    assert.deepEqual(
      told.map(({ verb, stage, responseStatus }) => [verb, stage, responseStatus.code]),
      [
        ['watch', 'ResponseStarted', 200],
        ['watch', 'ResponseComplete', 200],
      ],
    );
    assert.equal(told[0]?.['auditID'], told[1]?.['auditID']);
    assert.equal(told[1]?.['stageTimestamp'], '2030-01-01T00:00:05.000000Z');
  });

  it('tells of watches over WebSockets', async () => {
    await start('Metadata');
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${maps}?watch=true`);
    const [[answer]] = (await Promise.all([once(socket, 'upgrade'), once(socket, 'open')])) as [
      [IncomingMessage],
      unknown,
    ];
    socket.terminate();
    await once(socket, 'close');
    const told = await lines();
    assert.deepEqual(
      told.map(({ stage, responseStatus }) => [stage, responseStatus.code]),
      [
        ['ResponseStarted', 101],
        ['ResponseComplete', 101],
      ],
    );
    assert.equal(told[0]?.['auditID'], answer.headers['x-request-id']);
  });

  it("tells who sent what is taken for another user's", async () => {
    const sender = { name: 'root', groups: ['system:masters'] };
    await start('Metadata', { authenticate: async () => ({ name: 'jane', groups: [], uid: '7', sentBy: sender }) });
    await server.send('GET', maps);
    const [line] = await lines();
    assert.deepEqual(line?.['user'], { username: 'root', groups: ['system:masters'] });
    assert.deepEqual(line?.['impersonatedUser'], { username: 'jane', uid: '7', groups: [] });
  });

  it('tells of what was refused', async () => {
    await start('Metadata', {
      async authorize(_user, { verb }) {
        if (verb === 'list') throw forbidden({ resource: 'configmaps' }, 'not for you');
      },
    });
    await server.send('GET', maps);
    await server.send('GET', `${maps}/none`);
    await server.send('GET', '/nowhere');
    const [refused, missing, nowhere] = await lines();
    assert.deepEqual([refused?.responseStatus.code, refused?.responseStatus.reason], [403, 'Forbidden']);
    assert.match(String(refused?.responseStatus.message), /not for you/);
    assert.deepEqual([missing?.responseStatus.code, missing?.objectRef?.['name']], [404, 'none']);
    assert.deepEqual([nowhere?.responseStatus.code, nowhere?.verb, nowhere?.objectRef], [404, 'get', undefined]);
  });

  it('is not told of probes', async () => {
    await start('Metadata');
    await server.send('GET', '/healthz');
    await server.send('GET', '/version');
    const told = await lines();
    assert.deepEqual(
      told.map(({ requestURI }) => requestURI),
      ['/version'],
    );
  });

  it('counts a client that left before it was answered as gone', async () => {
    const inside = deferred<void>();
    await start('Metadata', {
      async authenticate({ socket }) {
        inside.resolve();
        await new Promise((gone) => void socket.once('close', gone));
        return { name: 'tester', groups: [] };
      },
    });
    const request = httpRequest(`${server.url}${maps}`);
    request.on('error', () => undefined);
    request.end();
    await inside.promise;
    request.destroy();
    const [line] = await lines();
    assert.equal(line?.responseStatus.code, 499);
  });
});
