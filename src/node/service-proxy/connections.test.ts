import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test';
import { namedBackend, openBackend, type Backend } from './testing/backend.ts';
import { freePort, newPodAddress, serviceAddress, turn, until } from './testing/loopback.ts';
import { openProxy, type ProxyFixture } from './testing/proxy-fixture.ts';
import { call, visit, type Target } from './testing/visitor.ts';

const mostSockets = 450;

let proxy: ProxyFixture;
let target: Target;
beforeEach(async () => {
  // What the test before has closed is gone a turn later.
  await turn();
  proxy = await openProxy({ mostSockets });
  target = { host: serviceAddress, port: await freePort() };
  await proxy.createService('web', { ports: [{ port: target.port }] });
});
afterEach(() => proxy.close());

async function serveWith(t: TestContext, backend: Promise<Backend>): Promise<Backend> {
  const opened = await backend;
  t.after(() => opened.close());
  await proxy.setEndpoints('web', [opened]);
  return opened;
}

function openVisit(): Socket {
  return connect({ ...target, allowHalfOpen: true });
}

/** Sends blocks until the total is reached, at the receiver's speed, and ends its side; gives the checksum of what was sent. */
async function sendAll(socket: Socket, total: number): Promise<string> {
  const hash = createHash('sha256');
  const block = randomBytes(100_003);
  for (let sent = 0; sent < total; sent += block.length) {
    hash.update(block);
    if (!socket.write(block)) await once(socket, 'drain');
  }
  socket.end();
  return hash.digest('hex');
}

async function receiveAll(socket: Socket): Promise<string> {
  const hash = createHash('sha256');
  socket.on('data', (block) => hash.update(block));
  await once(socket, 'end');
  return hash.digest('hex');
}

function openTcpHandles(): number {
  return process.getActiveResourcesInfo().filter((what) => what === 'TCPSocketWrap').length;
}

const megabyte = 1024 * 1024;

describe('a connection through the proxy', () => {
  it('carries much data both ways at the same time, unchanged', async (t) => {
    const served: Promise<string[]>[] = [];
    await serveWith(
      t,
      openBackend((socket) => served.push(Promise.all([sendAll(socket, 24 * megabyte), receiveAll(socket)]))),
    );
    const socket = openVisit();
    const [sent, received] = await Promise.all([sendAll(socket, 24 * megabyte), receiveAll(socket)]);
    assert.deepEqual(await served[0], [received, sent]);
  });

  it('lets a side that has ended go on to listen', async (t) => {
    const answered: Promise<string>[] = [];
    await serveWith(
      t,
      openBackend((socket) => {
        answered.push(receiveAll(socket).then(() => sendAll(socket, 4 * megabyte)));
      }),
    );
    const socket = openVisit();
    await sendAll(socket, 4 * megabyte);
    assert.equal(await receiveAll(socket), await answered[0]);
  });

  it('lets a client go on to send after the server has ended', async (t) => {
    const received: Promise<string>[] = [];
    await serveWith(
      t,
      openBackend((socket) => {
        socket.end('go');
        received.push(receiveAll(socket));
      }),
    );
    const socket = openVisit();
    assert.equal(await receiveAll(socket), createHash('sha256').update('go').digest('hex'));
    const sent = await sendAll(socket, 4 * megabyte);
    assert.equal(await received[0], sent);
  });

  it('makes a server wait for a client that does not read', async (t) => {
    const total = 64 * megabyte;
    const sockets: Socket[] = [];
    const sent: Promise<string>[] = [];
    await serveWith(
      t,
      openBackend((socket) => {
        sockets.push(socket);
        sent.push(sendAll(socket, total));
      }),
    );
    const socket = openVisit();
    await until(() => (sockets[0]?.bytesWritten ?? 0) > 0);
    await untilStill(() => sockets[0]!.bytesWritten);
    assert.ok(sockets[0]!.bytesWritten < total / 2, `${sockets[0]!.bytesWritten} bytes are under way`);
    assert.equal(await receiveAll(socket), await sent[0]);
    socket.end();
    await once(socket, 'close');
  });

  for (const side of ['client', 'server'] as const) {
    it(`that the ${side} resets is reset for the other side`, async (t) => {
      const backend = await serveWith(t, namedBackend('a'));
      const { socket } = await visit(target);
      const [server] = [...backend.sockets] as [Socket];
      const [breaking, other] = side === 'client' ? [socket, server] : [server, socket];
      const broken = new Promise<NodeJS.ErrnoException>((resolve) => other.on('error', resolve));
      breaking.resetAndDestroy();
      assert.equal((await broken).code, 'ECONNRESET');
    });
  }
});

/** Waits until a number stays the same for many turns. */
async function untilStill(read: () => number): Promise<void> {
  let [last, turns] = [read(), 0];
  while (turns < 500) {
    await turn();
    const now = read();
    turns = now === last ? turns + 1 : 0;
    last = now;
  }
}

describe('many connections', () => {
  it('leave nothing behind', async (t) => {
    await serveWith(t, namedBackend('a'));
    const before = openTcpHandles();
    const visitors = await Promise.all(Array.from({ length: 200 }, () => visit(target)));
    assert.equal(openTcpHandles(), before + 800);
    // One half ends in order, the other is broken off.
    await Promise.all(
      visitors.map(async (visitor, i) => {
        if (i % 2 === 0) return visitor.leave();
        const closed = once(visitor.socket, 'close');
        visitor.socket.resetAndDestroy();
        await closed;
      }),
    );
    await until(() => openTcpHandles() === before);
  });

  it('beyond the bound are reset, and taken again when others have gone', async (t) => {
    await serveWith(t, namedBackend('a'));
    const visitors = await Promise.all(Array.from({ length: mostSockets / 2 }, () => visit(target)));
    assert.equal(await call(target), 'ECONNRESET');
    for (const visitor of visitors) await visitor.leave();
    await until(() => openTcpHandles() === 0);
    assert.equal(await call(target), 'a');
  });

  it('of a service that leads to itself come to an end', async () => {
    const loop = { host: newPodAddress(), port: await freePort() };
    await proxy.createService('loop', { clusterIP: loop.host, ports: [{ port: loop.port }] });
    await proxy.setEndpoints('loop', [{ ip: loop.host, port: loop.port }]);
    assert.equal(await call(loop), 'ECONNRESET');
    await until(() => openTcpHandles() === 0);
  });
});
