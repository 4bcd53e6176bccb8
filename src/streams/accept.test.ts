import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { systemClock } from '../base/clock.ts';
import { acceptCommand, acceptPortForward } from './accept.ts';
import type { CommandRequest, CommandStreams, TerminalSize } from './command-streams.ts';
import { exitStatus } from './exit-status.ts';
import type { SessionStream } from './session.ts';
import { dialSpdy, serveUpgrades } from './testing/upgrade-server.ts';

const plain: CommandRequest = { stdin: true, stdout: true, stderr: true, tty: false };
const terminal: CommandRequest = { ...plain, tty: true };

/** Gives all of stdin back in capitals, says so on stderr, and ends with code 3. */
async function shout(streams: CommandStreams): Promise<void> {
  const input = await textOf(streams.stdin as Duplex);
  streams.stdout?.write(input.toUpperCase());
  streams.stderr?.write('shouted');
  await streams.finish(exitStatus(3));
}

function serveCommand(
  context: TestContext,
  request: CommandRequest,
  run: (streams: CommandStreams) => Promise<void>,
): Promise<number> {
  return serveUpgrades(context, async (upgrade) => run(await acceptCommand(upgrade, request, systemClock)));
}

async function textOf(stream: Duplex | SessionStream): Promise<string> {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(stream, 'end');
  return text;
}

test('a command over SPDY: stdin ends on its own, outputs are apart, the code comes last', async (context) => {
  const port = await serveCommand(context, plain, shout);
  const { session, response } = await dialSpdy(port, ['v4.channel.k8s.io', 'v3.channel.k8s.io']);
  assert.equal(response.headers['x-stream-protocol-version'], 'v4.channel.k8s.io');
  const error = await session.openStream({ streamType: 'error' });
  const stdin = await session.openStream({ streamType: 'stdin' });
  const stdout = await session.openStream({ streamType: 'stdout' });
  const stderr = await session.openStream({ streamType: 'stderr' });
  stdin.end('hello');
  const [out, err, outcome] = await Promise.all([textOf(stdout), textOf(stderr), textOf(error)]);
  assert.equal(out, 'HELLO');
  assert.equal(err, 'shouted');
  const { status, details } = JSON.parse(outcome) as ReturnType<typeof exitStatus>;
  assert.equal(status, 'Failure');
  assert.deepEqual(details?.causes, [{ reason: 'ExitCode', message: '3' }]);
  session.close();
});

test('a client of an older protocol is told a failure in words', async (context) => {
  const port = await serveCommand(context, { ...plain, stdin: false, stderr: false }, (streams) =>
    streams.finish(exitStatus(2)),
  );
  const { session } = await dialSpdy(port, ['v2.channel.k8s.io']);
  const error = await session.openStream({ streamType: 'error' });
  const stdout = await session.openStream({ streamType: 'stdout' });
  stdout.resume();
  assert.match(await textOf(error), /exit code 2/);
  session.close();
});

test('sizes of the window arrive over SPDY', async (context) => {
  const sizes: TerminalSize[] = [];
  const port = await serveCommand(context, terminal, async (streams) => {
    streams.onResize((size) => sizes.push(size));
    await textOf(streams.stdin as Duplex);
    await streams.finish(exitStatus(0));
  });
  const { session } = await dialSpdy(port, ['v4.channel.k8s.io']);
  const error = await session.openStream({ streamType: 'error' });
  const stdin = await session.openStream({ streamType: 'stdin' });
  const stdout = await session.openStream({ streamType: 'stdout' });
  const resize = await session.openStream({ streamType: 'resize' });
  stdout.resume();
  resize.write('{"Width":80,"Height":24}\n{"Width":1');
  resize.write('00,"Height":30}\nnonsense\n{"width":120,"height":40}\n');
  stdin.end();
  assert.deepEqual(JSON.parse(await textOf(error)), exitStatus(0));
  assert.deepEqual(sizes, [
    { width: 80, height: 24 },
    { width: 100, height: 30 },
    { width: 120, height: 40 },
  ]);
  session.close();
});

test('a protocol that is not spoken is refused before anything changes', async (context) => {
  const port = await serveCommand(context, plain, shout);
  await assert.rejects(dialSpdy(port, ['v9.channel.k8s.io']), /400/);
});

function dialWebSocket(port: number, protocol: string): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port}/`, protocol);
}

for (const [protocol, encode, decode] of [
  ['v5.channel.k8s.io', binary, fromBinary],
  ['v4.channel.k8s.io', binary, fromBinary],
  ['v4.base64.channel.k8s.io', base64, fromBase64],
  ['base64.channel.k8s.io', base64, fromBase64],
] as const) {
  test(`a command over ${protocol}: channels carry what they should, and the connection ends with the command`, async (context) => {
    const port = await serveCommand(context, { ...plain, stdin: true }, async (streams) => {
      const [chunk] = (await once(streams.stdin!, 'data')) as [Buffer];
      streams.stdout?.write(chunk.toString().toUpperCase());
      streams.stderr?.write('shouted');
      await streams.finish(exitStatus(3));
    });
    const socket = dialWebSocket(port, protocol);
    const channels = new Map<number, string>();
    socket.on('message', (data) => {
      const { channel, text } = decode(data as Buffer);
      channels.set(channel, (channels.get(channel) ?? '') + text);
    });
    await once(socket, 'open');
    assert.equal(socket.protocol, protocol);
    socket.send(encode(0, 'hello'));
    await once(socket, 'close');
    assert.equal(channels.get(1), 'HELLO');
    assert.equal(channels.get(2), 'shouted');
    assert.match(channels.get(3) ?? '', protocol.startsWith('v') ? /"ExitCode"/ : /exit code 3/);
  });
}

test('with version 5 a client can end stdin and still hear the rest', async (context) => {
  const port = await serveCommand(context, plain, shout);
  const socket = dialWebSocket(port, 'v5.channel.k8s.io');
  let out = '';
  socket.on('message', (data) => {
    const { channel, text } = fromBinary(data as Buffer);
    if (channel === 1) out += text;
  });
  await once(socket, 'open');
  socket.send(binary(0, 'hello'));
  socket.send(Buffer.from([255, 0]));
  await once(socket, 'close');
  assert.equal(out, 'HELLO');
});

function binary(channel: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
}

function fromBinary(data: Buffer): { channel: number; text: string } {
  return { channel: data[0]!, text: data.toString('utf8', 1) };
}

function base64(channel: number, text: string): string {
  return String(channel) + Buffer.from(text).toString('base64');
}

function fromBase64(data: Buffer): { channel: number; text: string } {
  const message = data.toString();
  return { channel: Number(message[0]), text: Buffer.from(message.slice(1), 'base64').toString() };
}

function serveForwarding(context: TestContext, ports: readonly number[]): Promise<number> {
  return serveUpgrades(context, async (upgrade) => {
    const forwarding = await acceptPortForward(upgrade, ports);
    forwarding.onConnection((connection) => {
      if (connection.port === 81) connection.fail('nobody listens');
      else
        connection.data.on('data', (chunk: Buffer) => connection.data.write(`${connection.port}:${chunk.toString()}`));
      connection.data.on('end', () => connection.data.end());
    });
  });
}

test('ports over SPDY: several connections at once, and a failure is told on its own stream', async (context) => {
  const port = await serveForwarding(context, []);
  const { session } = await dialSpdy(port, ['portforward.k8s.io']);
  const open = async (target: string, requestID: string) => {
    const error = await session.openStream({ streamType: 'error', port: target, requestID });
    const data = await session.openStream({ streamType: 'data', port: target, requestID });
    error.end();
    return { error: textOf(error), reply: textOf(data), data };
  };
  const [first, second, third] = [await open('80', '1'), await open('80', '2'), await open('81', '3')];
  first.data.end('a');
  second.data.end('b');
  assert.equal(await first.reply, '80:a');
  assert.equal(await second.reply, '80:b');
  assert.equal(await first.error, '');
  assert.equal(await third.error, 'nobody listens');
  session.close();
});

test('ports over SPDY: the stream for errors ends when the pod has said all, though the client has not', async (context) => {
  const port = await serveUpgrades(context, async (upgrade) => {
    const forwarding = await acceptPortForward(upgrade, []);
    forwarding.onConnection(({ data }) => void data.end('all'));
  });
  const { session } = await dialSpdy(port, ['portforward.k8s.io']);
  const error = await session.openStream({ streamType: 'error', port: '80', requestID: '1' });
  const data = await session.openStream({ streamType: 'data', port: '80', requestID: '1' });
  assert.deepEqual(await Promise.all([textOf(data), textOf(error)]), ['all', '']);
  session.close();
});

test('ports over WebSocket: when all connections have ended, so does the WebSocket, after what was to be told', async (context) => {
  const port = await serveUpgrades(context, async (upgrade) => {
    const forwarding = await acceptPortForward(upgrade, [80, 81]);
    forwarding.onConnection((connection) => {
      if (connection.port === 81) connection.fail('nobody listens');
      else connection.data.once('data', () => connection.data.end('bye'));
    });
  });
  const socket = dialWebSocket(port, 'v4.channel.k8s.io');
  const channels = new Map<number, string>();
  socket.on('message', (data) => {
    const { channel, text } = fromBinary(data as Buffer);
    channels.set(channel, (channels.get(channel) ?? '') + text);
    // The other one has failed by then, and this one is still open.
    if (channel === 3 && text === 'nobody listens') socket.send(binary(0, 'hello'));
  });
  await once(socket, 'close');
  assert.deepEqual([channels.get(0)?.slice(2), channels.get(1)?.slice(2), channels.get(3)?.slice(2)], ['bye', '', 'nobody listens']); // prettier-ignore
});

test('ports over WebSocket: each pair of channels begins with its port', async (context) => {
  const port = await serveForwarding(context, [80, 443]);
  const socket = dialWebSocket(port, 'v4.channel.k8s.io');
  const channels = new Map<number, Buffer>();
  socket.on('message', (data) => {
    const [channel, rest] = [(data as Buffer)[0]!, (data as Buffer).subarray(1)];
    channels.set(channel, Buffer.concat([channels.get(channel) ?? Buffer.alloc(0), rest]));
    if (channels.size === 4 && channels.get(2)!.length === 2) socket.send(binary(2, 'hi'));
    if (channels.get(2)?.toString('utf8', 2) === '443:hi') socket.close();
  });
  await once(socket, 'close');
  assert.equal(channels.get(0)?.readUInt16LE(0), 80);
  assert.equal(channels.get(1)?.readUInt16LE(0), 80);
  assert.equal(channels.get(2)?.readUInt16LE(0), 443);
});

test('more ports than a WebSocket has channels for are refused', async (context) => {
  for (const [count, protocol] of [
    [128, 'v4.channel.k8s.io'],
    [6, 'base64.channel.k8s.io'],
  ] as const) {
    const ports = Array.from({ length: count }, (_, i) => i + 1);
    const port = await serveForwarding(context, ports);
    const [, answer] = (await once(dialWebSocket(port, protocol), 'unexpected-response')) as [unknown, IncomingMessage];
    assert.match(String(answer.headers['x-why']), /channels/);
  }
});

test('a handshake that is none of a WebSocket is refused', async (context) => {
  const port = await serveForwarding(context, [80]);
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const [answer] = (await once(get({ port, headers }), 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 400);
  assert.match(String(answer.headers['x-why']), /Sec-WebSocket-Key/);
});
