import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import type { SessionStream } from '../session.ts';
import { dataHead } from './frame.ts';
import { SpdySession } from './spdy-session.ts';

interface Pair {
  readonly client: SpdySession;
  readonly server: SpdySession;
  readonly clientSocket: Socket;
  readonly serverSocket: Socket;
}

/** Two ends of a real connection. */
async function openSockets(context: TestContext): Promise<{ clientSocket: Socket; serverSocket: Socket }> {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const clientSocket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  const [serverSocket] = (await once(listener, 'connection')) as [Socket];
  context.after(() => {
    clientSocket.destroy();
    serverSocket.destroy();
    listener.close();
  });
  return { clientSocket, serverSocket };
}

async function openPair(context: TestContext): Promise<Pair> {
  const sockets = await openSockets(context);
  const client = new SpdySession(sockets.clientSocket, 'client');
  const server = new SpdySession(sockets.serverSocket, 'server');
  return { client, server, ...sockets };
}

/** All that arrives. The stream stays open for writing, which reading with `for await` would end. */
async function received(stream: SessionStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  await once(stream, 'end');
  return Buffer.concat(parts);
}

async function text(stream: SessionStream): Promise<string> {
  return (await received(stream)).toString();
}

function nextStream(session: SpdySession): Promise<SessionStream> {
  return new Promise((resolve) => {
    session.onStream(resolve);
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

test('a stream arrives with its headers, and both directions carry bytes', async (context) => {
  const { client, server } = await openPair(context);
  const arriving = nextStream(server);
  const opened = await client.openStream({ streamType: 'stdin', 'x-é': 'ü' });
  const arrived = await arriving;
  assert.deepEqual({ ...arrived.headers }, { streamtype: 'stdin', 'x-é': 'ü' });
  opened.end('to the server');
  assert.equal(await text(arrived), 'to the server');
  arrived.end('and back');
  assert.equal(await text(opened), 'and back');
});

test('many streams with the same headers keep their bytes apart', async (context) => {
  const { client, server } = await openPair(context);
  server.onStream((stream) => stream.pipe(stream));
  const sent = Array.from({ length: 50 }, () => randomBytes(100_000));
  const echoed = await Promise.all(
    sent.map(async (bytes, i) => {
      const stream = await client.openStream({ streamType: 'data', port: '80', requestID: String(i) });
      stream.end(bytes);
      return received(stream);
    }),
  );
  echoed.forEach((bytes, i) => assert.ok(bytes.equals(sent[i]!), `stream ${i}`));
});

test('a reader that stops holds the writer back', async (context) => {
  const { client, server } = await openPair(context);
  const arriving = nextStream(server);
  const reader = await client.openStream({ streamType: 'stdout' });
  const writer = await arriving;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let written = 0;
  const flood = async (): Promise<void> => {
    while (written < 2_000) {
      written++;
      if (!writer.write(chunk)) await once(writer, 'drain');
    }
    writer.end();
  };
  const flooding = flood();
  // What kernel buffers take differs; that it ends far below all there is does not.
  for (let before = -1; before !== written;) {
    before = written;
    for (let turn = 0; turn < 200; turn++) await nextTurn();
  }
  assert.ok(written < 1_000, `${written} chunks were taken although nobody reads`);
  let read = 0;
  for await (const part of reader) read += (part as Buffer).length;
  await flooding;
  assert.equal(read, 2_000 * chunk.length);
});

test('what comes together with the end of its stream holds no other stream up', async (context) => {
  const { client, server, clientSocket } = await openPair(context);
  const streams: SessionStream[] = [];
  server.onStream((stream) => streams.push(stream));
  await client.openStream({ n: '1' });
  const data = Buffer.alloc(512 * 1024, 'x');
  clientSocket.write(Buffer.concat([dataHead(1, data.length, true), data]));
  const other = await client.openStream({ n: '2' });
  other.end('hello');
  while (streams.length < 2) await nextTurn();
  assert.equal(await text(streams[1]!), 'hello');
  assert.equal((await received(streams[0]!)).length, data.length);
});

test('what comes behind the end of a stream is nobody’s', async (context) => {
  const { client, server, clientSocket } = await openPair(context);
  const arriving = nextStream(server);
  await client.openStream({});
  const frame = (words: string): Buffer => Buffer.concat([dataHead(1, words.length, true), Buffer.from(words)]);
  clientSocket.write(Buffer.concat([frame('all'), frame(' and more')]));
  const arrived = await arriving;
  while (arrived.readableLength === 0) await nextTurn();
  assert.equal(await text(arrived), 'all');
});

test('however many streams wait for room, the connection is listened to once', async (context) => {
  const { clientSocket, serverSocket } = await openSockets(context);
  const [client, server] = [new SpdySession(clientSocket, 'client'), new SpdySession(serverSocket, 'server')];
  // Nobody reads what arrives, so the connection fills up.
  client.onStream(() => undefined);
  const listeners = (): number[] => ['drain', 'error', 'close'].map((name) => serverSocket.listenerCount(name));
  const before = listeners();
  const streams = await Promise.all(Array.from({ length: 20 }, (_, i) => server.openStream({ n: String(i) })));
  for (const stream of streams) stream.on('error', () => undefined).write(Buffer.alloc(4_000_000));
  while (!streams.every(({ writableNeedDrain }) => writableNeedDrain) || !serverSocket.writableNeedDrain) {
    await nextTurn();
  }
  assert.deepEqual(listeners(), before);
  client.close();
  await server.closed;
});

test('a stream that is given up ends at the other side, and the others go on', async (context) => {
  const { client, server } = await openPair(context);
  const streams: SessionStream[] = [];
  server.onStream((stream) => streams.push(stream));
  const [first, second] = [await client.openStream({ n: '1' }), await client.openStream({ n: '2' })];
  second.write('hello');
  while (streams.length < 2) await nextTurn();
  const gone = once(streams[0]!, 'close');
  first.destroy();
  await gone;
  second.end(' there');
  assert.equal(await text(streams[1]!), 'hello there');
});

test('closing a session ends its streams and the other session', async (context) => {
  const { client, server } = await openPair(context);
  const arriving = nextStream(server);
  const opened = await client.openStream({});
  const arrived = await arriving;
  const ends = [once(opened, 'close'), once(arrived, 'close')];
  server.close();
  await Promise.all([...ends, client.closed, server.closed]);
});

test('pings are answered', async (context) => {
  const { clientSocket, serverSocket } = await openSockets(context);
  const session = new SpdySession(serverSocket, 'server');
  const ping = Buffer.from('80030006000000040000000b', 'hex');
  clientSocket.write(ping);
  const [answer] = (await once(clientSocket, 'data')) as [Buffer];
  assert.deepEqual(answer, ping);
  session.close();
});

test('whoever has pings answered and reads no answer is left', async () => {
  const ping = Buffer.from('80030006000000040000000b', 'hex');
  const deaf = new Duplex({ read: () => undefined, write: () => undefined });
  const session = new SpdySession(deaf, 'server');
  deaf.push(Buffer.concat(Array.from({ length: 10_000 }, () => ping)));
  await session.closed;
  assert.ok(deaf.writableLength < 128 * 1024, `${deaf.writableLength} bytes wait`);
  deaf.destroy();
});

for (const [what, bytes] of [
  ['another version', Buffer.from('8002000600000004000000010000', 'hex')],
  ['a frame without end', Buffer.from('8003000600ffffff00000001', 'hex')],
  [
    'a header block that is no such thing',
    Buffer.concat([Buffer.from('800300010000000e', 'hex'), Buffer.alloc(14, 1)]),
  ],
] as const) {
  test(`${what} ends the session`, async (context) => {
    const { clientSocket, serverSocket } = await openSockets(context);
    const session = new SpdySession(serverSocket, 'server');
    clientSocket.resume();
    clientSocket.write(bytes);
    await session.closed;
  });
}
