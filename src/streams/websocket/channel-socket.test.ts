import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { serveUpgrades } from '../testing/upgrade-server.ts';
import { acceptWebSocket } from './accept-web-socket.ts';
import type { ChannelSocket } from './channel-socket.ts';

const protocol = 'v5.channel.k8s.io';
const chunk = Buffer.alloc(64 * 1024, 'x');

interface Opened {
  readonly client: WebSocket;
  /** The client's connection. */
  readonly socket: Socket;
  readonly channels: ChannelSocket;
}

/** A client with its server's channels, of which 0 and 4 are asked for. */
async function openChannels(context: TestContext): Promise<Opened> {
  let take: (channels: ChannelSocket) => void;
  const taken = new Promise<ChannelSocket>((resolve) => (take = resolve));
  const port = await serveUpgrades(context, async (upgrade) => {
    const { channels } = await acceptWebSocket(upgrade, [protocol], 5);
    for (const number of [0, 4]) channels.channel(number);
    take(channels);
  });
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, protocol);
  context.after(() => client.terminate());
  const [[{ socket }]] = await Promise.all([
    once(client, 'upgrade') as Promise<[IncomingMessage]>,
    once(client, 'open'),
  ]);
  return { client, socket, channels: await taken };
}

function message(channel: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([channel]), data]);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

test('a reader that stops holds the client back while another channel is read', async (context) => {
  const { client, channels } = await openChannels(context);
  const unread = channels.channel(0);
  channels.channel(4).resume();
  for (let i = 0; i < 300; i++) {
    client.send(message(0, chunk));
    client.send(message(4, Buffer.from('x')));
    await nextTurn();
  }
  for (let turn = 0; turn < 200; turn++) await nextTurn();
  assert.ok(unread.readableLength < 1024 * 1024, `${unread.readableLength} bytes are held although nobody reads`);
});

test('a channel that ends while its reader is behind holds no other one up', async (context) => {
  const { client, socket, channels } = await openChannels(context);
  const sizes = once(channels.channel(4), 'data') as Promise<[Buffer]>;
  const input = chunk.subarray(0, 32 * 1024);
  // In one piece, so that the end is read with what comes before it.
  socket.cork();
  client.send(message(0, input));
  client.send(message(255, Buffer.from([0])));
  socket.uncork();
  while (channels.channel(0).readableLength < input.length) await nextTurn();
  client.send(message(4, Buffer.from('hello')));
  const [size] = await sizes;
  assert.equal(size.toString(), 'hello');
  let read = 0;
  for await (const part of channels.channel(0)) read += (part as Buffer).length;
  assert.equal(read, input.length);
});

test('a channel that is given up while it is behind holds no other one up', async (context) => {
  const { client, channels } = await openChannels(context);
  const sizes = once(channels.channel(4), 'data') as Promise<[Buffer]>;
  for (let i = 0; i < 100; i++) client.send(message(0, chunk));
  client.send(message(4, Buffer.from('hello')));
  while (channels.channel(0).readableLength < chunk.length) await nextTurn();
  channels.channel(0).destroy();
  const [size] = await sizes;
  assert.equal(size.toString(), 'hello');
});

test('a connection ends at once though nobody has read what the client sent', { timeout: 20_000 }, async (context) => {
  const { client, channels } = await openChannels(context);
  for (let i = 0; i < 100; i++) client.send(message(0, chunk));
  while (channels.channel(0).readableLength < chunk.length) await nextTurn();
  channels.close();
  await Promise.all([once(client, 'close'), channels.closed]);
  assert.ok(channels.channel(0).readableLength < 1024 * 1024);
});

test('whoever has pings answered and reads no answer is left', async (context) => {
  const { client, socket, channels } = await openChannels(context);
  socket.pause();
  const payload = Buffer.alloc(125);
  client.on('error', () => undefined);
  const flooding = new AbortController();
  const flood = async (): Promise<void> => {
    while (!flooding.signal.aborted) {
      if (client.readyState === WebSocket.OPEN && socket.writableLength < 1024 * 1024) {
        for (let i = 0; i < 1_000; i++) client.ping(payload);
      }
      await nextTurn();
    }
  };
  const flooded = flood();
  await channels.closed;
  flooding.abort();
  await flooded;
});
