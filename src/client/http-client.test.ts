import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { randomIds, seededIds } from '../base/ids.ts';
import { SteppedClock } from '../base/stepped-clock.ts';
import { configMap, type ConfigMap } from '../kinds/core/config-map.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { startServer } from '../server/testing/running-server.ts';
import { clientSuite, type SuiteSubject } from './client-suite.ts';
import { HttpClient } from './http-client.ts';
import { openInformer } from './open-informer.ts';
import { InformerRecord } from './testing/informer-record.ts';
import { WatchRecord } from './testing/watch-record.ts';
import { silentLogger } from '../base/logger.ts';

async function open(): Promise<SuiteSubject> {
  const server = await startServer();
  const client = new HttpClient({ access: { server: server.url }, clock: systemClock, ids: randomIds });
  for (const name of ['default', 'one']) {
    await client.create(namespace, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  }
  return {
    client,
    storage: server.storage,
    async close() {
      client.close();
      await server.close();
    },
  };
}

clientSuite('over HTTP', open);

interface Scene {
  readonly client: HttpClient;
  readonly clock: SteppedClock;
}

/** A client of a server that answers as the test says, for what a server in order never does. */
async function against(t: TestContext, answer: RequestListener, maxAnswerBytes?: number): Promise<Scene> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = new SteppedClock();
  const { port } = server.address() as AddressInfo;
  const access = { server: `http://127.0.0.1:${port}/base/` };
  const client = new HttpClient({ access, clock, ids: seededIds(1), timeoutMs: 5000, maxAnswerBytes });
  t.after(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, clock };
}

const web = { namespace: 'one', name: 'web' };

test('a server that is not there counts as unavailable', async () => {
  const client = new HttpClient({ access: { server: 'http://127.0.0.1:1' }, clock: systemClock, ids: randomIds });
  await assert.rejects(client.list(configMap), { name: 'ApiError', code: 503, reason: 'ServiceUnavailable' });
});

test('an address that is none is refused at once', () => {
  const make = (server: string): HttpClient =>
    new HttpClient({ access: { server }, clock: systemClock, ids: randomIds });
  assert.throws(() => make('somewhere'), RangeError);
  assert.throws(() => make('ftp://somewhere'), RangeError);
  const access = { server: 'https://somewhere', certificate: 'only that' };
  assert.throws(() => new HttpClient({ access, clock: systemClock, ids: randomIds }), RangeError);
});

test('a long list is fetched in parts and put together', async (t) => {
  const subject = await open();
  t.after(() => subject.close());
  const { client } = subject;
  const count = 501;
  for (let i = 0; i < count; i++) {
    const metadata = { name: `c${i}`, namespace: 'one' };
    await client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata });
  }
  const { items, continue: more } = await client.list(configMap);
  assert.deepEqual([new Set(items.map(({ metadata }) => metadata.name)).size, more], [count, undefined]);
});

test('paths begin with that of the server, and names are encoded', async (t) => {
  const asked: string[] = [];
  const { client } = await against(t, (request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  await client.get(configMap, { namespace: 'a/b', name: 'c?d' });
  assert.deepEqual(asked, ['/base/api/v1/namespaces/a%2Fb/configmaps/c%3Fd']);
});

test('a read that is put off is sent again after as long as the server says, a write is not', async (t) => {
  const asked: string[] = [];
  const { client, clock } = await against(t, (request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(asked.length < 3 ? 429 : 200, { 'Retry-After': '2' });
    response.end(asked.length < 3 ? 'busy' : JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'web' } }));
  });
  const writing = client.create(configMap, { ...configMap.example, metadata: web });
  await assert.rejects(writing, { code: 429, message: 'busy' });
  assert.equal(asked.length, 1);
  const reading = client.get(configMap, web);
  const start = clock.now();
  while (asked.length < 3) {
    await new Promise(setImmediate);
    clock.step(100);
  }
  assert.equal((await reading).metadata.name, 'web');
  assert.ok(clock.now() - start >= 2000);
});

test('a server that does not answer in time is given up', async (t) => {
  const { client, clock } = await against(t, () => {});
  const reading = client.get(configMap, web);
  const failing = assert.rejects(reading, { code: 504, reason: 'Timeout' });
  clock.step(5000);
  await failing;
});

test('a request under way ends with the reason of its signal', async (t) => {
  const aborting = new AbortController();
  const reason = new Error('changed my mind');
  const { client } = await against(t, () => aborting.abort(reason));
  await assert.rejects(client.get(configMap, web, { signal: aborting.signal }), reason);
});

test('a server that stops in the middle of its answer is given up', async (t) => {
  const { client, clock } = await against(t, (_request, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{');
  });
  const reading = client.get(configMap, web);
  const failing = assert.rejects(reading, { code: 504, reason: 'Timeout' });
  const next = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false));
  while (!(await Promise.race([failing.then(() => true), next()]))) clock.step(10);
});

test('an answer under way ends with the reason of its signal', async (t) => {
  const aborting = new AbortController();
  const reason = new Error('changed my mind');
  const { client } = await against(t, (_request, response) => {
    // More than connections hold, so that the client has read a part of it when all is written.
    const part = 16 * 1024 * 1024;
    response.writeHead(200, { 'Content-Length': part + 1 });
    response.write(' '.repeat(part), () => aborting.abort(reason));
  });
  await assert.rejects(client.get(configMap, web, { signal: aborting.signal }), reason);
});

test('a read on a kept connection that the server ends is sent again, a write is not', async (t) => {
  const asked: string[] = [];
  const { client } = await against(t, (request, response) => {
    asked.push(request.method ?? '');
    if (asked.length === 2 || asked.length === 4) request.socket.destroy();
    else response.end('{}');
  });
  await client.get(configMap, web);
  await client.get(configMap, web);
  assert.deepEqual(asked, ['GET', 'GET', 'GET']);
  const writing = client.create(configMap, { ...configMap.example, metadata: web });
  await assert.rejects(writing, { code: 503 });
  assert.equal(asked.length, 4);
});

test('an address that cannot be reached is told with the reason', async () => {
  const client = new HttpClient({ access: { server: 'http://localhost:1' }, clock: systemClock, ids: randomIds });
  await assert.rejects(client.get(configMap, web), { code: 503, message: /cannot be reached: .*ECONNREFUSED/ });
});

test('an answer that is too large is not read to its end', async (t) => {
  const { client } = await against(t, (_request, response) => response.end(`"${'x'.repeat(5000)}"`), 1000);
  await assert.rejects(client.get(configMap, web), { code: 413 });
});

test('an answer that is no JSON, or is cut off, counts as none', async (t) => {
  const { client } = await against(t, (request, response) => {
    if (request.url?.endsWith('cut')) {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{', () => response.destroy());
    } else response.end('<html>');
  });
  await assert.rejects(client.get(configMap, web), { code: 503 });
  await assert.rejects(client.get(configMap, { namespace: 'one', name: 'cut' }), { code: 503 });
});

test('a watch that is cut off, or sends what is no event, ends with an error', async (t) => {
  const lines = ['{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n', '{"type":"ADD'];
  const { client } = await against(t, (request, response) => {
    response.write(lines[0]);
    if (request.url?.includes('namespaces/cut')) response.write(lines[1], () => response.destroy());
    else if (request.url?.includes('namespaces/half')) response.end(lines[1]);
    else response.end('42\n');
  });
  for (const namespace of ['cut', 'half', 'other']) {
    const record = new WatchRecord<ConfigMap>();
    await client.watch(configMap, { namespace, resourceVersion: '1' }, record);
    assert.equal((await record.ended)?.code, 503, namespace);
    assert.equal(record.events.length, 1, namespace);
  }
});

test('a line that is longer than what is read ends the watch', async (t) => {
  const { client } = await against(t, (_request, response) => response.write('x'.repeat(3000)), 1000);
  const record = new WatchRecord<ConfigMap>();
  await client.watch(configMap, { resourceVersion: '1' }, record);
  assert.equal((await record.ended)?.code, 503);
});

test('a watch that the server should have ended long ago is taken for dead', async (t) => {
  const { client, clock } = await against(t, (_request, response) => response.flushHeaders());
  const record = new WatchRecord<ConfigMap>();
  await client.watch(configMap, { resourceVersion: '1' }, record);
  clock.step(300_000);
  assert.equal(record.hasEnded, false);
  clock.step(400_000);
  assert.equal((await record.ended)?.code, 504);
});

test('an informer over HTTP outlives its server ending the watch', async (t) => {
  const server = await startServer();
  const client = new HttpClient({ access: { server: server.url }, clock: server.clock, ids: seededIds(2) });
  const informer = openInformer({
    client,
    clock: server.clock,
    ids: seededIds(3),
    logger: silentLogger,
    kind: configMap,
  });
  t.after(async () => {
    informer.close();
    client.close();
    await server.close();
  });
  const record = new InformerRecord();
  informer.on(record);
  await informer.synced;
  for (const name of ['a', 'b', 'c']) {
    await client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'one' } });
    while (!informer.get(`one/${name}`)) {
      await new Promise(setImmediate);
      server.clock.step(20);
    }
    // Longer than any watch lasts.
    server.clock.step(605_000);
  }
  assert.deepEqual(record.told, ['added a', 'added b', 'added c']);
});
