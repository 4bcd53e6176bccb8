import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { systemClock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { forbidden } from '../../kinds/meta/api-error.ts';
import { acceptCommand, acceptPortForward } from '../../streams/accept.ts';
import { exitStatus } from '../../streams/exit-status.ts';
import { readCommandQuery, readPortsQuery } from '../../streams/node-query.ts';
import { dialSpdy } from '../../streams/testing/upgrade-server.ts';
import type { Upgrade } from '../../streams/upgrade.ts';
import { fillUp, mostBlocks } from './testing/fill-up.ts';
import { startConnected } from './testing/connected-server.ts';

const pod = '/api/v1/namespaces/one/pods/web';
const limit = { timeout: 20_000 };

function queryOf({ request: { url = '' } }: Upgrade): URLSearchParams {
  return new URL(url, 'http://node').searchParams;
}

/** Gives stdin back in capitals, the command on stderr, and ends with code 3. */
async function shout(upgrade: Upgrade): Promise<void> {
  const query = readCommandQuery(queryOf(upgrade));
  const streams = await acceptCommand(upgrade, query, systemClock);
  const input = streams.stdin ? await textOf(streams.stdin as Duplex) : '';
  streams.stdout?.write(input.toUpperCase());
  streams.stderr?.write(query.command.join('|'));
  await streams.finish(exitStatus(3));
}

async function textOf(stream: Duplex): Promise<string> {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(stream, 'end');
  return text;
}

for (const method of ['GET', 'POST']) {
  test(`a command over SPDY, with ${method}: every stream and the exit code arrive`, limit, async (t) => {
    const server = await startConnected(t, { upgrade: shout });
    const path = `${pod}/exec?command=sh&command=-c&command=a+b&stdin=true&stdout=true&stderr=true`;
    const headers = { Authorization: 'Bearer secret' };
    const { session, response } = await dialSpdy(server.port, ['v4.channel.k8s.io', 'channel.k8s.io'], {
      path,
      method,
      headers,
    });
    assert.equal(response.headers['x-stream-protocol-version'], 'v4.channel.k8s.io');
    assert.ok(response.headers['audit-id']);
    const error = await session.openStream({ streamType: 'error' });
    const stdin = await session.openStream({ streamType: 'stdin' });
    const stdout = await session.openStream({ streamType: 'stdout' });
    const stderr = await session.openStream({ streamType: 'stderr' });
    stdin.end('hello');
    const [out, err, outcome] = await Promise.all([textOf(stdout), textOf(stderr), textOf(error)]);
    assert.deepEqual([out, err], ['HELLO', 'sh|-c|a b']);
    assert.match(outcome, /"ExitCode"/);
    session.close();
    const asked = 'input=1&output=1&error=1&command=sh&command=-c&command=a+b';
    assert.deepEqual(server.node.seen, [`${method} /exec/one/web/main?${asked}`]);
  });
}

test('a command over WebSocket: output is wanted unless it is said otherwise', limit, async (t) => {
  const server = await startConnected(t, { upgrade: shout });
  const socket = new WebSocket(
    `ws://127.0.0.1:${server.port}${pod}/attach?container=main&stdin=1`,
    'v5.channel.k8s.io',
  );
  const channels = new Map<number, string>();
  socket.on('message', (data) => {
    const [channel, text] = [(data as Buffer)[0]!, (data as Buffer).toString('utf8', 1)];
    channels.set(channel, (channels.get(channel) ?? '') + text);
  });
  await once(socket, 'open');
  socket.send(Buffer.from('\0hello'));
  socket.send(Buffer.from([255, 0]));
  await once(socket, 'close');
  assert.equal(channels.get(1), 'HELLO');
  assert.match(channels.get(3) ?? '', /"ExitCode"/);
  assert.deepEqual(server.node.seen, ['GET /attach/one/web/main?input=1&output=1&error=1']);
});

test('streams that are not mentioned are not opened over SPDY; a terminal has no stderr', limit, async (t) => {
  const refuse = ({ socket }: Upgrade): void => void socket.end('HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n');
  const server = await startConnected(t, { upgrade: refuse });
  for (const query of ['stdout=true', 'tty=true&stdin=true&stdout=true&stderr=true', 'stdout=true&stderr=false', '']) {
    const dialled = dialSpdy(server.port, ['v4.channel.k8s.io'], { path: `${pod}/exec?command=ls&${query}` });
    await assert.rejects(dialled, /answered with 400/);
  }
  assert.deepEqual(
    server.node.seen.map((line) => line.split('?')[1]),
    ['output=1', 'input=1&output=1&tty=1', 'output=1', 'output=1&error=1'].map((each) => `${each}&command=ls`),
  );
});

function forwarding(upgrade: Upgrade): Promise<void> {
  return acceptPortForward(upgrade, readPortsQuery(queryOf(upgrade)) ?? []).then((session) => {
    session.onConnection((connection) => {
      const { port, data } = connection;
      if (port === 81) connection.fail('nobody listens');
      else data.on('data', (chunk: Buffer) => data.write(`${port}:${chunk.toString()}`));
      data.on('end', () => data.end());
    });
  });
}

test('ports over SPDY and over WebSocket', limit, async (t) => {
  const server = await startConnected(t, { upgrade: forwarding });
  const { session } = await dialSpdy(server.port, ['portforward.k8s.io'], { path: `${pod}/portforward` });
  const open = async (port: string, requestID: string) => {
    const error = await session.openStream({ streamType: 'error', port, requestID });
    const data = await session.openStream({ streamType: 'data', port, requestID });
    error.end();
    return { error: textOf(error), reply: textOf(data), data };
  };
  const [first, second] = [await open('80', '1'), await open('81', '2')];
  first.data.end('a');
  assert.equal(await first.reply, '80:a');
  assert.equal(await second.error, 'nobody listens');
  session.close();
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${pod}/portforward?ports=80,443`, 'v4.channel.k8s.io');
  const texts: string[] = [];
  const replied = deferred<void>();
  socket.on('message', (data) => {
    texts.push((data as Buffer).toString('latin1', 1));
    if (texts.at(-1)?.startsWith('443:')) replied.resolve();
  });
  await once(socket, 'open');
  socket.send(Buffer.concat([Buffer.from([2]), Buffer.from('hi')]));
  await replied.promise;
  assert.equal(texts.at(-1), '443:hi');
  socket.close();
  assert.deepEqual(server.node.seen, ['POST /portForward/one/web', 'GET /portForward/one/web?port=80&port=443']);
});

/** Upgrades by hand: what follows the headers belongs to the test. */
async function dialRaw(port: number, path: string, protocol = 'SPDY/3.1'): Promise<{ socket: Socket; head: string }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    head += chunk.toString('latin1');
  }
  return { socket, head };
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';

test('an end is passed on as an end, and the other direction goes on', limit, async (t) => {
  const server = await startConnected(t, {
    upgrade({ socket }) {
      socket.write(switching);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => socket.end(`heard ${text}`));
    },
  });
  const { socket } = await dialRaw(server.port, `${pod}/attach`);
  socket.end('all of it');
  assert.equal(await textOf(socket), 'heard all of it');
});

test('what comes with the headers of either side is not lost', limit, async (t) => {
  const server = await startConnected(t, {
    upgrade({ socket, head }) {
      socket.write(`${switching}early;`);
      socket.write(head);
      socket.on('data', (chunk: Buffer) => socket.write(chunk));
      socket.on('end', () => socket.end());
    },
  });
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end(`GET ${pod}/attach HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nearlier`);
  assert.match(await textOf(socket), /\r\n\r\nearly;earlier$/);
});

test('a side that does not read holds the other up, and nothing piles up in between', limit, async (t) => {
  const stuck = deferred<number>();
  const server = await startConnected(t, {
    upgrade({ socket }) {
      socket.write(switching);
      void fillUp(socket).then(stuck.resolve);
    },
  });
  const before = process.memoryUsage.rss();
  const { socket } = await dialRaw(server.port, `${pod}/attach`);
  socket.pause();
  assert.ok((await stuck.promise) < mostBlocks / 2);
  assert.ok(process.memoryUsage.rss() - before < 128 * 1024 * 1024);
  socket.destroy();
});

test('who leaves takes the other side along', limit, async (t) => {
  const sockets: Duplex[] = [];
  const server = await startConnected(t, {
    upgrade({ socket }) {
      socket.write(switching);
      sockets.push(socket.resume());
    },
  });
  const first = await dialRaw(server.port, `${pod}/attach`);
  first.socket.resetAndDestroy();
  await once(sockets[0]!, 'end');
  const second = await dialRaw(server.port, `${pod}/attach`);
  second.socket.resume();
  sockets[1]!.destroy();
  await once(second.socket, 'end');
  const third = await dialRaw(server.port, `${pod}/attach`);
  third.socket.on('error', () => undefined).resume();
  server.api.close();
  await once(third.socket, 'end');
});

test('a refusal of the node is a Status, and what the client sends after it reaches nobody', limit, async (t) => {
  const server = await startConnected(t, {
    upgrade: ({ socket }) => void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 12\r\n\r\nno container'),
  });
  const { socket, head } = await dialRaw(server.port, `${pod}/exec?command=ls`);
  socket.write('GET /containerLogs/one/web/main HTTP/1.1\r\nHost: x\r\n\r\n');
  const rest = await textOf(socket).catch(() => '');
  assert.match(head + rest, /^HTTP\/1\.1 404 /);
  assert.match(head + rest, /"message":"no container"/);
  assert.deepEqual(server.node.seen, ['POST /exec/one/web/main?output=1&error=1&command=ls']);
});

test('a node that answers without switching is an error, however well it means it', limit, async (t) => {
  const server = await startConnected(t, {
    upgrade: ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  });
  await assert.rejects(
    dialSpdy(server.port, ['v4.channel.k8s.io'], { path: `${pod}/attach` }),
    /answered with 500.*node here answered with 200/,
  );
});

test('a node that never answers is given up', limit, async (t) => {
  const asked = deferred<void>();
  const server = await startConnected(t, { upgrade: () => asked.resolve() });
  const dialled = dialSpdy(server.port, ['v4.channel.k8s.io'], { path: `${pod}/attach` });
  const refused = assert.rejects(dialled, /answered with 504.*does not answer/);
  await asked.promise;
  server.clock.step(30_000);
  await refused;
});

test(
  'a client that left while the node thought is noticed as soon as there is something to tell it',
  limit,
  async (t) => {
    const asked = deferred<Duplex>();
    const server = await startConnected(t, { upgrade: ({ socket }) => asked.resolve(socket) });
    const client = connect(server.port, '127.0.0.1');
    client.write(`GET ${pod}/attach HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`);
    const socket = await asked.promise;
    client.resetAndDestroy();
    await once(client, 'close');
    socket.write(switching);
    await once(socket.resume(), 'end');
  },
);

test('what is wrong is told before the node is asked', limit, async (t) => {
  const server = await startConnected(t, { upgrade: shout });
  for (const [path, why] of [
    ['exec', /needs a command/],
    ['exec?command=ls&container=other', /no container/],
    ['attach?stdin=false&stdout=false&stderr=false', /at least one of/],
    ['portforward?ports=80,x', /numbers from 1 to 65535/],
  ] as const) {
    const dialled = dialSpdy(server.port, ['v4.channel.k8s.io'], { path: `${pod}/${path}` });
    await assert.rejects(dialled, why);
  }
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${pod}/portforward`, 'v4.channel.k8s.io');
  const [failure] = (await once(socket, 'error')) as [Error];
  assert.match(failure.message, /400/);
  assert.match((await dialRaw(server.port, `${pod}/attach`, 'h2c')).head, /^HTTP\/1\.1 400 /);
  assert.deepEqual(server.node.seen, []);
});

test('without an upgrade these paths are 400', limit, async (t) => {
  const server = await startConnected(t, { upgrade: shout });
  for (const path of ['exec?command=ls', 'attach', 'portforward']) {
    for (const method of ['GET', 'POST']) {
      const answer = await server.send(method, `${pod}/${path}`);
      assert.equal(answer.code, 400);
      assert.match(answer.json().message ?? '', /upgraded to SPDY\/3\.1 or websocket/);
    }
  }
  assert.deepEqual(server.node.seen, []);
});

test('nobody is connected who may not be, and it is told in the audit trail who was', limit, async (t) => {
  const lines: string[] = [];
  const server = await startConnected(t, {
    upgrade: ({ socket }) => void socket.write(switching),
    audit: { level: 'Metadata', write: (line) => void lines.push(line) },
    authorize: async (_user, { subresource }) => {
      if (subresource === 'exec') throw forbidden({ resource: 'pods/exec' }, 'not yours');
    },
  });
  const dialled = dialSpdy(server.port, ['v4.channel.k8s.io'], { path: `${pod}/exec?command=ls` });
  await assert.rejects(dialled, /answered with 403/);
  const { socket } = await dialRaw(server.port, `${pod}/attach`);
  socket.destroy();
  await once(socket, 'close');
  assert.deepEqual(server.node.seen, ['POST /attach/one/web/main?output=1&error=1']);
  const codes = lines
    .map((line) => JSON.parse(line) as { stage: string; responseStatus?: { code: number }; requestURI: string })
    .filter(({ requestURI }) => requestURI.startsWith(pod))
    .map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code}`);
  assert.deepEqual(codes.slice(0, 2), ['ResponseComplete 403', 'ResponseStarted 101']);
});

test('a request that nobody takes the connection for is answered as any other', limit, async (t) => {
  const server = await startConnected(t, {});
  const sent = request(`${server.url}${pod}`, { headers: { Connection: 'Upgrade', Upgrade: 'SPDY/3.1' } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  assert.equal(response.statusCode, 200);
  response.resume();
});
