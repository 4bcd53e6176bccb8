import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { service as serviceKind } from '../../kinds/core/service.ts';
import type { ServiceSpec } from '../../kinds/core/service-spec.ts';
import { runServiceProxy } from './run-service-proxy.ts';
import { namedBackend, type Backend } from './testing/backend.ts';
import { freePort, newPodAddress, otherAddress, serviceAddress, turn, until } from './testing/loopback.ts';
import { openProxy, type ProxyFixture } from './testing/proxy-fixture.ts';
import { call, visit, type Target } from './testing/visitor.ts';

const hour = 60 * 60 * 1000;
const backends = await Promise.all(['a', 'b'].map(namedBackend));
const [a, b] = backends as [Backend, Backend];
after(() => Promise.all(backends.map((backend) => backend.close())));

let proxy: ProxyFixture;
let target: Target;
beforeEach(async () => {
  proxy = await openProxy();
  target = { host: serviceAddress, port: await freePort() };
});
afterEach(() => proxy.close());

async function open(backends: readonly Pick<Backend, 'ip' | 'port'>[], spec: Partial<ServiceSpec> = {}): Promise<void> {
  await proxy.createService('web', { ports: [{ port: target.port }], ...spec });
  await proxy.setEndpoints('web', backends);
}

/** Sockets and servers of all kinds. */
function openHandles(): number {
  return process.getActiveResourcesInfo().filter((what) => /^(TCP|UDP)/.test(what)).length;
}

async function calls(count: number, from: Partial<Target> = {}): Promise<string> {
  const answers: string[] = [];
  for (let i = 0; i < count; i++) answers.push(await call({ ...target, ...from }));
  return answers.join('');
}

describe('a service', () => {
  it('is answered by its endpoints in turn', async () => {
    await open([a, b]);
    assert.match(await calls(6), /^(ababab|bababa)$/);
  });

  it('with affinity is answered for each client by one endpoint, until that client stays away for three hours', async () => {
    await open([a, b], { sessionAffinity: 'ClientIP' });
    const [one, other] = [{ localAddress: '127.0.0.2' }, { localAddress: '127.0.0.3' }];
    const [mine, yours] = [await calls(1, one), await calls(1, other)];
    assert.notEqual(mine, yours);
    assert.equal(await calls(3, one), mine.repeat(3));
    proxy.clock.step(3 * hour - 1);
    assert.equal(await calls(3, one), mine.repeat(3));
    proxy.clock.step(3 * hour);
    assert.equal(await calls(1, other), mine);
    assert.equal(await calls(1, one), yours);
  });

  it('brings nobody to an endpoint that went, and leaves those who are there', async () => {
    await open([a, b]);
    const visitors = [await visit(target), await visit(target)];
    await proxy.setEndpoints('web', [b]);
    assert.equal(await calls(4), 'bbbb');
    for (const visitor of visitors) assert.equal(await visitor.say('still here'), 'still here');
    for (const visitor of visitors) await visitor.leave();
  });

  it('tries another endpoint when one refuses', async () => {
    const dead = { ip: newPodAddress(), port: await freePort() };
    await open([dead, b, { ip: newPodAddress(), port: await freePort() }]);
    assert.equal(await calls(4), 'bbbb');
  });

  it('resets the connection when no endpoint takes it', async () => {
    await open([{ ip: newPodAddress(), port: await freePort() }]);
    assert.equal(await calls(1), 'ECONNRESET');
  });

  it('keeps a client with the endpoint that it was sent to because its own refused', async () => {
    const short = await namedBackend('c');
    await open([short, b], { sessionAffinity: 'ClientIP' });
    const clients = [{ localAddress: '127.0.0.2' }, { localAddress: '127.0.0.3' }];
    const first = [await calls(1, clients[0]), await calls(1, clients[1])];
    assert.deepEqual(first.toSorted(), ['b', 'c']);
    await short.close();
    const unlucky = clients[first.indexOf('c')];
    assert.equal(await calls(3, unlucky), 'bbb');
  });

  it('without endpoints refuses connections, until there is one', async () => {
    await proxy.createService('web', { ports: [{ port: target.port }] });
    assert.equal(await calls(1), 'ECONNREFUSED');
    await proxy.setEndpoints('web', [a]);
    assert.equal(await calls(1), 'a');
    await proxy.setEndpoints('web', []);
    assert.equal(await calls(1), 'ECONNREFUSED');
  });

  it('follows a change of its ports', async () => {
    await open([a]);
    const port = await freePort();
    await proxy.client.patch(
      serviceKind,
      { namespace: 'one', name: 'web' },
      { merge: { spec: { ports: [{ port }] } } },
    );
    await proxy.run.settled();
    assert.deepEqual([await calls(1), await calls(1, { port })], ['ECONNREFUSED', 'a']);
  });

  it('leads each of its ports to the endpoints of that name', async () => {
    const port = await freePort();
    const ports = [{ name: 'first', port: target.port }, { name: 'second', port }]; // prettier-ignore
    await proxy.createService('web', { ports });
    await proxy.setEndpoints('web', [a], 'first');
    assert.deepEqual([await calls(1), await calls(1, { port })], ['a', 'ECONNREFUSED']);
    await proxy.setEndpoints('web', [b], 'second');
    assert.deepEqual([await calls(1), await calls(1, { port })], ['ECONNREFUSED', 'b']);
    // The names change places: the listeners stay, and lead elsewhere.
    const swapped = [{ name: 'second', port: target.port }, { name: 'first', port }]; // prettier-ignore
    await proxy.client.patch(serviceKind, { namespace: 'one', name: 'web' }, { merge: { spec: { ports: swapped } } });
    await proxy.run.settled();
    assert.deepEqual([await calls(1), await calls(1, { port })], ['b', 'ECONNREFUSED']);
  });

  it('that is deleted takes nothing more, and leaves the connections that it made', async () => {
    await open([a]);
    const visitor = await visit(target);
    await proxy.deleteService('web');
    assert.equal(await calls(1), 'ECONNREFUSED');
    assert.equal(await visitor.say('hello'), 'hello');
    await visitor.leave();
  });

  it('without an address is not served', async () => {
    const port = await freePort();
    await open([a], { clusterIP: 'None', type: 'NodePort', ports: [{ port: 80, nodePort: port }] });
    assert.equal(await call({ host: '127.0.0.1', port }), 'ECONNREFUSED');
  });
});

describe('a node port', () => {
  it('is open on all addresses', async () => {
    const port = await freePort();
    await open([a], { type: 'NodePort', ports: [{ port: target.port, nodePort: port }] });
    for (const host of ['127.0.0.1', otherAddress]) assert.equal(await call({ host, port }), 'a');
    assert.equal(await calls(1), 'a');
  });

  it('is open on a chosen address alone', async (t) => {
    const narrow = await openProxy({ nodePortAddress: otherAddress });
    t.after(() => narrow.close());
    const port = await freePort();
    await narrow.createService('web', { type: 'LoadBalancer', ports: [{ port: target.port, nodePort: port }] });
    await narrow.setEndpoints('web', [a]);
    assert.equal(await call({ host: otherAddress, port }), 'a');
    assert.equal(await call({ host: '127.0.0.1', port }), 'ECONNREFUSED');
  });

  it('may have the number of a port that a service has on its own address', async () => {
    const { port } = target;
    await open([a]);
    await proxy.createService('all', { clusterIP: otherAddress, type: 'NodePort', ports: [{ port, nodePort: port }] });
    await proxy.setEndpoints('all', [b]);
    const everywhere = async (): Promise<string[]> =>
      Promise.all([serviceAddress, otherAddress, '127.0.0.1'].map((host) => call({ host, port })));
    assert.deepEqual(await everywhere(), ['a', 'b', 'b']);
    await proxy.deleteService('all');
    assert.deepEqual(await everywhere(), ['a', 'ECONNREFUSED', 'ECONNREFUSED']);
    assert.deepEqual([...(await proxy.eventsOf('web')), ...(await proxy.eventsOf('all'))], []);
  });

  it('cannot be opened on what is no address', () => {
    assert.throws(
      () => runServiceProxy({ ...proxy, nodeName: 'node-1', nodePortAddress: 'localhost' }),
      /cannot be opened on "localhost"/,
    );
  });
});

describe('an address or port that cannot be had', () => {
  const elsewhere = '192.0.2.77';

  it('is told once, while node ports work', async () => {
    const nodePort = await freePort();
    await open([a], { clusterIP: elsewhere, type: 'NodePort', ports: [{ port: 80, nodePort }] });
    assert.equal(await call({ host: '127.0.0.1', port: nodePort }), 'a');
    for (let minute = 0; minute < 5; minute++) {
      proxy.clock.step(60_000);
      await proxy.run.settled();
    }
    await proxy.setEndpoints('web', [a, b]);
    const [event, ...more] = await proxy.eventsOf('web');
    assert.deepEqual([event?.type, event?.reason, event?.count, more.length], ['Warning', 'AddressUnavailable', 1, 0]);
    assert.equal(
      event?.message,
      'The service cannot be reached at 192.0.2.77 on node node-1: 192.0.2.77 is not an address of this machine',
    );
    assert.deepEqual(event?.source, { component: 'kube-proxy', host: 'node-1' });
  });

  it('is told before the service has endpoints', async () => {
    await proxy.createService('web', { clusterIP: elsewhere, ports: [{ port: 80 }] });
    assert.equal((await proxy.eventsOf('web')).length, 1);
  });

  it('is no fault of an external address', async () => {
    await open([a], { externalIPs: [elsewhere] });
    assert.deepEqual([await calls(1), await proxy.eventsOf('web')], ['a', []]);
  });

  it('is opened later when the program that has it ends', async () => {
    const other = createServer().listen(target);
    await once(other, 'listening');
    await open([a]);
    const [event] = await proxy.eventsOf('web');
    assert.equal(event?.reason, 'PortUnavailable');
    assert.match(event.message ?? '', new RegExp(`another program of this machine has TCP port ${target.port}$`));
    other.close();
    await once(other, 'close');
    proxy.clock.step(60_000);
    await proxy.run.settled();
    assert.equal(await calls(1), 'a');
  });

  it('goes to the next service when the one that has it is deleted', async () => {
    await open([a]);
    await proxy.createService('next', { ports: [{ port: target.port }] });
    await proxy.setEndpoints('next', [b]);
    assert.equal(await calls(2), 'aa');
    assert.match((await proxy.eventsOf('next'))[0]?.message ?? '', /: the service one\/web has it$/);
    await proxy.deleteService('web');
    assert.equal(await calls(2), 'bb');
  });
});

describe('addresses that others bring to this machine', () => {
  it('are open for those of a load balancer', async () => {
    await open([a]);
    const service = await proxy.client.get(serviceKind, { namespace: 'one', name: 'web' });
    service.status = { loadBalancer: { ingress: [{ ip: otherAddress }] } };
    await proxy.client.updateStatus(serviceKind, service);
    await proxy.run.settled();
    assert.equal(await calls(1, { host: otherAddress }), 'a');
  });
});

describe('a run', () => {
  it('serves what was there before it', async () => {
    await open([a]);
    await proxy.run.close();
    assert.equal(await calls(1), 'ECONNREFUSED');
    const next = runServiceProxy({ ...proxy, nodeName: 'node-1' });
    await next.started;
    assert.equal(await calls(1), 'a');
    await next.close();
  });

  it('that is closed ends its connections and leaves nothing open', async () => {
    // What was closed before is gone a turn later.
    await turn();
    const before = openHandles();
    const ports = [{ name: 'a', port: target.port }, { name: 'b', port: await freePort() }]; // prettier-ignore
    const udp = { name: 'c', port: await freePort(), protocol: 'UDP' as const, nodePort: await freePort() };
    await proxy.createService('web', { type: 'NodePort', ports: [...ports, udp] });
    await proxy.setEndpoints('web', [a], 'a');
    const { socket } = await visit(target);
    await proxy.run.close();
    await once(socket.resume(), 'end');
    socket.destroy();
    await until(() => a.sockets.size === 0 && openHandles() <= before);
  });

  it('ends when it is told to before it has begun', async () => {
    const run = runServiceProxy({ ...proxy, nodeName: 'node-1', signal: AbortSignal.abort() });
    await assert.rejects(run.started, /the service proxy is stopped/);
    await run.close();
  });
});
