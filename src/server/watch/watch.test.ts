import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { deferred } from '../../base/deferred.ts';
import type { ReceivedEvent, WatchClient } from '../testing/watch-client.ts';
import { startServer, type RunningServer, type RunningServerOptions } from '../testing/running-server.ts';

const maps = '/api/v1/namespaces/one/configmaps';
const limit = { timeout: 20_000 };

async function running(t: TestContext, options?: RunningServerOptions): Promise<RunningServer> {
  const server = await startServer(options);
  t.after(() => server.close());
  return server;
}

async function create(
  server: RunningServer,
  name: string,
  labels?: Record<string, string>,
  data?: object,
): Promise<string> {
  const { code, json } = await server.send('POST', maps, { body: { metadata: { name, labels }, data } });
  assert.equal(code, 200);
  return json().metadata.resourceVersion ?? '';
}

async function told(watch: WatchClient): Promise<string> {
  const event = await watch.next();
  return event ? `${event.type} ${event.object.metadata.name}` : 'end';
}

test('a watch without a revision tells what is there, then what changes', limit, async (t) => {
  const server = await running(t);
  await create(server, 'first');
  const watch = await server.watch(`${maps}?watch=true`);
  assert.equal(watch.code, 200);
  assert.equal(watch.contentType, 'application/json');
  assert.equal(await told(watch), 'ADDED first');
  await create(server, 'second');
  assert.equal(await told(watch), 'ADDED second');
  await server.send('PUT', `${maps}/second`, { body: { metadata: { name: 'second' }, data: { a: 'b' } } });
  assert.equal(await told(watch), 'MODIFIED second');
  await server.send('DELETE', `${maps}/first`);
  assert.equal(await told(watch), 'DELETED first');
});

test('a watch from a revision tells only what came after it', limit, async (t) => {
  const server = await running(t);
  const version = await create(server, 'first');
  await create(server, 'second');
  const watch = await server.watch(`/api/v1/watch/configmaps?resourceVersion=${version}`);
  assert.equal(await told(watch), 'ADDED second');
});

test('a watch by name or selector tells of nothing else', limit, async (t) => {
  const server = await running(t);
  const byName = await server.watch('/api/v1/watch/namespaces/one/configmaps/mine');
  const bySelector = await server.watch(`${maps}?watch=1&labelSelector=app%3Dweb`);
  await create(server, 'other', { app: 'db' });
  await create(server, 'mine', { app: 'web' });
  assert.equal(await told(byName), 'ADDED mine');
  assert.equal(await told(bySelector), 'ADDED mine');
  const body = { metadata: { name: 'mine', labels: { app: 'db' } } };
  await server.send('PUT', `${maps}/mine`, { body });
  assert.equal(await told(byName), 'MODIFIED mine');
  assert.equal(await told(bySelector), 'DELETED mine', 'what no longer matches is gone to this watcher');
});

test('the headers of a watch come at once, with nothing to tell', limit, async (t) => {
  const server = await running(t);
  const watch = await server.watch(`${maps}?watch=true`);
  assert.equal(watch.code, 200);
});

test('many watchers of many changes all hear everything in order', limit, async (t) => {
  const server = await running(t);
  const watches = await Promise.all(Array.from({ length: 20 }, () => server.watch(`${maps}?watch=true`)));
  const names = Array.from({ length: 50 }, (_, i) => `map-${i}`);
  await Promise.all(names.map((name) => create(server, name)));
  const heard = await Promise.all(
    watches.map(async (watch) => {
      const events: string[] = [];
      for (let i = 0; i < names.length; i++) events.push((await watch.next())?.object.metadata.resourceVersion ?? '');
      return events;
    }),
  );
  const inOrder = [...heard[0]!].sort((one, other) => Number(one) - Number(other));
  assert.equal(new Set(inOrder).size, names.length);
  for (const events of heard) assert.deepEqual(events, inOrder);
});

test('timeoutSeconds ends a watch cleanly', limit, async (t) => {
  const server = await running(t);
  const watch = await server.watch(`${maps}?watch=true&timeoutSeconds=5`);
  await create(server, 'first');
  assert.equal(await told(watch), 'ADDED first');
  server.clock.step(4_999);
  await create(server, 'second');
  assert.equal(await told(watch), 'ADDED second');
  server.clock.step(1);
  assert.equal(await told(watch), 'end');
});

test('a watch that names no time ends within an hour', limit, async (t) => {
  const server = await running(t);
  const watch = await server.watch(`${maps}?watch=true`);
  server.clock.step(30 * 60_000 - 1);
  await create(server, 'still-there');
  assert.equal(await told(watch), 'ADDED still-there');
  server.clock.step(30 * 60_000);
  assert.equal(await told(watch), 'end');
});

test('bookmarks say how far a watch has come, only when asked for', limit, async (t) => {
  const server = await running(t);
  const plain = await server.watch(`${maps}?watch=true&timeoutSeconds=90`);
  const marked = await server.watch(`${maps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=90`);
  const version = await create(server, 'first');
  assert.equal(await told(marked), 'ADDED first');
  server.clock.step(60_000);
  const bookmark = await marked.next();
  assert.equal(bookmark?.type, 'BOOKMARK');
  assert.equal(bookmark.object.kind, 'ConfigMap');
  assert.equal(bookmark.object.metadata.resourceVersion, version);
  server.clock.step(30_000);
  assert.equal((await marked.next())?.type, 'BOOKMARK', 'one more before the end');
  assert.equal(await told(marked), 'end');
  assert.deepEqual(
    (await plain.rest()).map(({ type }) => type),
    ['ADDED'],
  );
});

test('a revision that is no longer held is told as 410 in the stream', limit, async (t) => {
  const server = await running(t);
  const version = await create(server, 'first');
  await create(server, 'second');
  await server.storage.compact(await server.storage.revision());
  const watch = await server.watch(`${maps}?watch=true&resourceVersion=${version}`);
  assert.equal(watch.code, 200);
  const [error, ...rest] = await watch.rest();
  assert.equal(error?.type, 'ERROR');
  assert.equal(error.object.code, 410);
  assert.equal(error.object.kind, 'Status');
  assert.deepEqual(rest, []);
});

test('what cannot be watched is refused before the stream begins, as JSON', limit, async (t) => {
  const server = await running(t);
  const headers = { Accept: 'application/yaml, application/json' };
  for (const [query, code] of [
    ['?resourceVersion=abc', 422],
    ['?resourceVersion=-5', 422],
    ['?labelSelector=a%3Db%3Dc', 400],
    ['?fieldSelector=no.such.field%3D1', 400],
    ['?timeoutSeconds=abc', 400],
    ['?timeoutSeconds=', 400],
    ['?timeoutSeconds=-1', 400],
    ['/a?fieldSelector=metadata.name%3Da', 400],
  ] as const) {
    const answer = await server.send('GET', `/api/v1/watch/namespaces/x/configmaps${query}`, { headers });
    assert.equal(answer.code, code, query);
    assert.equal(answer.json().kind, 'Status');
  }
});

test('a client that takes no JSON is refused a watch with 406', limit, async (t) => {
  const server = await running(t);
  for (const path of ['/api/v1/watch/configmaps', '/api/v1/configmaps?watch=true']) {
    const answer = await server.send('GET', path, { headers: { Accept: 'application/yaml' } });
    assert.equal(answer.code, 406, path);
  }
});

test('a client that does not read is ended with 410 rather than waited for', limit, async (t) => {
  const server = await running(t, { limits: { watchBufferBytes: 256 * 1024 } });
  const watch = await server.watch(`${maps}?watch=true`);
  watch.response.pause();
  const data = { text: 'x'.repeat(200_000) };
  // More than the kernel's buffers on both sides take.
  for (let i = 0; i < 60; i++) await create(server, `map-${i}`, undefined, data);
  const events = await watch.rest();
  assert.equal(events.at(-1)?.type, 'ERROR');
  assert.equal(events.at(-1)?.object.code, 410);
  assert.ok(events.length < 61, 'the rest was not kept for the client');
  events
    .slice(0, -1)
    .forEach(({ object }, i) => assert.equal(object.metadata.name, `map-${i}`, 'nothing is left out before'));
});

test('a client that never reads is cut off after a while', limit, async (t) => {
  const server = await running(t, { limits: { watchBufferBytes: 64 * 1024, watchStallMs: 1_000 } });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.pause();
  socket.write(`GET ${maps}?watch=true HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'connect');
  const data = { text: 'x'.repeat(500_000) };
  for (let i = 0; i < 30; i++) await create(server, `map-${i}`, undefined, data);
  const closed = once(socket, 'close');
  server.clock.step(1_000);
  socket.resume();
  await closed;
});

test('a long list at the beginning of a watch arrives whole, and changes behind it', limit, async (t) => {
  const server = await running(t);
  const data = { text: 'x'.repeat(50_000) };
  for (let i = 0; i < 100; i++) await create(server, `map-${String(i).padStart(3, '0')}`, undefined, data);
  const watch = await server.watch(`${maps}?watch=true&timeoutSeconds=10`);
  await create(server, 'zz-late');
  const heard: string[] = [];
  while (heard.at(-1) !== 'ADDED zz-late') heard.push(await told(watch));
  assert.equal(heard.length, 101);
  assert.equal(new Set(heard).size, 101);
});

test('closing the server ends every watch cleanly', limit, async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const watches = await Promise.all(Array.from({ length: 5 }, () => server.watch(`${maps}?watch=true`)));
  server.api.close();
  for (const watch of watches) assert.deepEqual(await watch.rest(), []);
});

test('a watch that its client leaves is closed in storage, too', limit, async (t) => {
  const server = await running(t);
  const closed = deferred<void>();
  const { storage } = server;
  const open = storage.watch.bind(storage);
  storage.watch = async (...parameters) => {
    const handle = await open(...parameters);
    return { close: () => (handle.close(), closed.resolve()) };
  };
  const watch = await server.watch(`${maps}?watch=true`);
  watch.close();
  await closed.promise;
});

test('HTTP/1.0 clients get the stream unframed', limit, async (t) => {
  const server = await running(t);
  await create(server, 'first');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(`GET ${maps}?watch=true&timeoutSeconds=1 HTTP/1.0\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  while (!text.includes('"first"')) await once(socket, 'data');
  server.clock.step(1_000);
  await once(socket, 'end');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  assert.doesNotMatch(head, /chunked/i);
  assert.equal((JSON.parse(body) as ReceivedEvent).type, 'ADDED');
});

test('a HEAD of a watch answers and ends', limit, async (t) => {
  const server = await running(t);
  const answer = await server.send('HEAD', `${maps}?watch=true`);
  assert.equal(answer.code, 200);
  assert.equal(answer.text, '');
});
