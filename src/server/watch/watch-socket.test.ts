import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Status } from '../../kinds/meta/status.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';
import type { ReceivedEvent } from '../testing/watch-client.ts';

const maps = '/api/v1/namespaces/one/configmaps';
const limit = { timeout: 20_000 };

async function running(t: TestContext): Promise<RunningServer> {
  const server = await startServer();
  t.after(() => server.close());
  return server;
}

async function create(server: RunningServer, name: string): Promise<void> {
  assert.equal((await server.send('POST', maps, { body: { metadata: { name } } })).code, 200);
}

function openSocket(server: RunningServer, path: string): WebSocket {
  return new WebSocket(`${server.url.replace('http', 'ws')}${path}`);
}

test('a WebSocket gets one event a frame', limit, async (t) => {
  const server = await running(t);
  await create(server, 'first');
  const socket = openSocket(server, `${maps}?watch=true&timeoutSeconds=5`);
  const frames: { text: string; binary: boolean }[] = [];
  socket.on('message', (message: Buffer, binary) => frames.push({ text: message.toString('utf8'), binary }));
  await once(socket, 'message');
  await create(server, 'second');
  while (frames.length < 2) await once(socket, 'message');
  assert.deepEqual(
    frames.map(({ text }) => (JSON.parse(text) as ReceivedEvent).object.metadata.name),
    ['first', 'second'],
  );
  assert.ok(frames.every(({ text, binary }) => !binary && !text.includes('\n')));
  server.clock.step(5_000);
  const [code] = (await once(socket, 'close')) as [number];
  assert.equal(code, 1000);
});

test('a WebSocket that cannot be opened is refused with a Status', limit, async (t) => {
  const server = await running(t);
  for (const [path, code] of [
    ['/api/v1/watch/nothing', 404],
    [`${maps}?watch=true&resourceVersion=x`, 422],
    [`${maps}/absent`, 404],
    ['/api/v1/watch/pods?fieldSelector=bogus%3D1', 400],
  ] as const) {
    const socket = openSocket(server, path);
    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      AsyncIterable<Buffer> & { statusCode: number },
    ];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    assert.equal(response.statusCode, code, path);
    assert.equal((JSON.parse(Buffer.concat(chunks).toString()) as { kind: string }).kind, 'Status');
  }
});

test('a handshake that is none of a WebSocket is refused with a Status', limit, async (t) => {
  const server = await running(t);
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const { code, json } = await server.send('GET', `${maps}?watch=true`, { headers });
  const { kind, message = '' } = json() as unknown as Status;
  assert.deepEqual([code, kind], [400, 'Status']);
  assert.match(message, /Sec-WebSocket-Key/);
});

test('a client that has pings answered and reads no answer is cut off', limit, async (t) => {
  const server = await running(t);
  const client = openSocket(server, `${maps}?watch=true`);
  const [[{ socket }]] = await Promise.all([
    once(client, 'upgrade') as Promise<[IncomingMessage]>,
    once(client, 'open'),
  ]);
  client.on('error', () => undefined);
  socket.pause();
  const payload = Buffer.alloc(125);
  // Once the server has closed the connection nothing can be written to it.
  while (socket.writable) {
    if (socket.writableLength < 1024 * 1024)
      for (let i = 0; i < 1_000; i++) client.ping(payload, true, () => undefined);
    await nextTurn();
  }
  client.terminate();
});
