import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test';
import type { ServiceSpec } from '../../../kinds/core/service-spec.ts';
import type { Endpoint } from '../endpoint.ts';
import { freePort, newPodAddress, serviceAddress, turn, until } from '../testing/loopback.ts';
import { openProxy, type ProxyFixture } from '../testing/proxy-fixture.ts';

let proxy: ProxyFixture;
let port: number;
beforeEach(async () => {
  // What the test before has closed is gone a turn later.
  await turn();
  proxy = await openProxy();
  port = await freePort();
});
afterEach(() => proxy.close());

async function open(endpoints: readonly Endpoint[], spec: Partial<ServiceSpec> = {}): Promise<void> {
  await proxy.createService('dns', { ports: [{ port, protocol: 'UDP' }], ...spec });
  await proxy.setEndpoints('dns', endpoints);
}

/** A server that answers with its name and what it was told. */
async function openServer(t: TestContext, name: string): Promise<Endpoint & { readonly socket: Socket }> {
  const socket = createSocket('udp4');
  const ip = newPodAddress();
  socket.bind(0, ip);
  await once(socket, 'listening');
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  socket.on('message', (message, { port, address }) => socket.send(`${name} ${message.toString()}`, port, address));
  return { ip, port: socket.address().port, socket };
}

interface Asker {
  ask(text: string): Promise<string>;
  send(text: string): void;
}

async function openAsker(t: TestContext): Promise<Asker> {
  const socket = createSocket('udp4');
  socket.connect(port, serviceAddress);
  await once(socket, 'connect');
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  const send = (text: string): void => socket.send(text, () => {});
  return {
    send,
    async ask(text) {
      const answer = once(socket, 'message') as Promise<[Buffer]>;
      send(text);
      return (await answer)[0].toString();
    },
  };
}

function openUdpHandles(): number {
  return process.getActiveResourcesInfo().filter((what) => what === 'UDPWrap').length;
}

describe('a UDP service', () => {
  it('is answered for each client by one endpoint, in turn for different ones', async (t) => {
    await open([await openServer(t, 'a'), await openServer(t, 'b')]);
    const [one, other] = [await openAsker(t), await openAsker(t)];
    const [first, second] = [await one.ask('1'), await other.ask('1')];
    assert.deepEqual([first, second].toSorted(), ['a 1', 'b 1']);
    for (const text of ['2', '3']) {
      assert.equal(await one.ask(text), `${first[0]} ${text}`);
      assert.equal(await other.ask(text), `${second[0]} ${text}`);
    }
  });

  it('sends a client elsewhere when its endpoint is taken out', async (t) => {
    const [a, b] = [await openServer(t, 'a'), await openServer(t, 'b')];
    await open([a]);
    const asker = await openAsker(t);
    assert.equal(await asker.ask('1'), 'a 1');
    await proxy.setEndpoints('dns', [b]);
    assert.equal(await asker.ask('2'), 'b 2');
  });

  it('sends a client elsewhere when its endpoint refuses, also with affinity', async (t) => {
    const dead = { ip: newPodAddress(), port: await freePort() };
    await open([await openServer(t, 'a'), dead], { sessionAffinity: 'ClientIP' });
    const asker = await openAsker(t);
    const answer = asker.ask('1');
    let answered = false;
    void answer.then(() => (answered = true));
    // The first may be lost at the endpoint that is not there.
    await until(() => {
      if (!answered) asker.send('1');
      return answered;
    });
    assert.equal(await answer, 'a 1');
  });

  it('keeps a socket for a client only while there is traffic', async (t) => {
    await open([await openServer(t, 'a')]);
    const before = openUdpHandles();
    const askers = await Promise.all(Array.from({ length: 20 }, () => openAsker(t)));
    for (const asker of askers) assert.equal(await asker.ask('1'), 'a 1');
    assert.equal(openUdpHandles(), before + 40);
    proxy.clock.step(45_000);
    assert.equal(await askers[0]!.ask('2'), 'a 2');
    proxy.clock.step(45_000);
    await until(() => openUdpHandles() === before + 21);
    assert.equal(await askers[1]!.ask('3'), 'a 3');
  });

  it('keeps no more sockets than it may', async (t) => {
    await open([await openServer(t, 'a')]);
    const before = openUdpHandles();
    const many = await Promise.all(Array.from({ length: 1100 }, () => openAsker(t)));
    for (const asker of many) assert.equal(await asker.ask('x'), 'a x');
    await until(() => openUdpHandles() === before + 1100 + 1024);
  });

  it('refuses without endpoints, and shares its number with TCP', async (t) => {
    const ports = [{ name: 'u', port, protocol: 'UDP' as const }, { name: 't', port }]; // prettier-ignore
    await proxy.createService('dns', { ports });
    const socket = createSocket('udp4');
    t.after(() => socket.close());
    socket.connect(port, serviceAddress);
    await once(socket, 'connect');
    socket.send('x');
    await assert.rejects(once(socket, 'message'), { code: 'ECONNREFUSED' });
    await proxy.setEndpoints('dns', [await openServer(t, 'a')], 'u');
    assert.equal(await (await openAsker(t)).ask('1'), 'a 1');
  });
});
