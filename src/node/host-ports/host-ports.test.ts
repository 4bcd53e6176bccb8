import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { seededIds } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { ContainerPort } from '../../kinds/core/pod/container-port.ts';
import { until } from '../testing/until.ts';
import { HostPorts } from './host-ports.ts';

const podIP = '127.0.41.1';
const hostIP = '127.0.0.1';

interface Bench {
  readonly clock: SteppedClock;
  readonly ports: HostPorts;
  readonly problems: string[];
}

function openPorts(context: TestContext, hostPortAddresses?: readonly string[]): Bench {
  const clock = new SteppedClock();
  const problems: string[] = [];
  const onProblem = (uid: string, message: string): void => void problems.push(`${uid} ${message}`);
  const ports = new HostPorts({ clock, ids: seededIds(1), logger: silentLogger, hostIP, hostPortAddresses, onProblem });
  context.after(() => ports.closeAll());
  return { clock, ports, problems };
}

function podWith(uid: string, port: ContainerPort, hostNetwork = false): Pod {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: uid, namespace: 'one', uid },
    spec: { containers: [{ name: 'main', image: 'x', ports: [port] }], hostNetwork },
    status: {},
  };
}

/** A program that says who it is to whoever connects. */
async function serve(context: TestContext, host: string, port = 0): Promise<Server> {
  // Whoever only looks whether it listens is gone by then.
  const server = createServer((socket) => socket.on('error', () => undefined).end(`from ${host}`));
  server.listen(port, host);
  await once(server, 'listening');
  context.after(() => server.close());
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A port that nobody has. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, hostIP);
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** What is said there; nothing where nobody listens. */
async function ask(port: number, host = hostIP): Promise<string> {
  const socket = connect({ host, port });
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    return '';
  }
  return text;
}

test('a port of the node leads to the port of a pod, until the pod has ended', async (context) => {
  const { ports } = openPorts(context);
  const [containerPort, hostPort] = [portOf(await serve(context, podIP)), await freePort()];
  ports.open(podWith('u1', { containerPort, hostPort }), podIP);
  await until(async () => (await ask(hostPort)) === `from ${podIP}`);
  ports.close('u1');
  assert.equal(await ask(hostPort), '');
});

test('the port is opened once the program listens, and left to one that has it itself', async (context) => {
  const { ports, clock, problems } = openPorts(context);
  const port = await freePort();
  ports.open(podWith('u1', { containerPort: port, hostPort: port }), podIP);
  const server = await serve(context, '0.0.0.0', port);
  clock.step(1000);
  await until(async () => (await ask(port)) === 'from 0.0.0.0');
  ports.close('u1');
  server.close();
  await once(server, 'close');
  ports.open(podWith('u2', { containerPort: port, hostPort: port }), podIP);
  await serve(context, podIP, port);
  await until(async () => {
    clock.step(1000);
    return (await ask(port)) === `from ${podIP}`;
  });
  assert.deepEqual(problems, []);
});

test('a port that another program has is told once and tried again', async (context) => {
  const { ports, clock, problems } = openPorts(context);
  const containerPort = portOf(await serve(context, podIP));
  const other = await serve(context, hostIP);
  const hostPort = portOf(other);
  ports.open(podWith('u1', { containerPort, hostPort }), podIP);
  await until(() => problems.length === 1);
  assert.match(problems[0]!, new RegExp(`u1 port ${hostPort} of the node cannot be had`));
  other.close();
  await once(other, 'close');
  await until(async () => {
    clock.step(10_000);
    return (await ask(hostPort)) === `from ${podIP}`;
  });
  assert.equal(problems.length, 1);
});

test('a port is open at every address that the node has for that', async (context) => {
  const { ports } = openPorts(context, [hostIP, '127.0.41.9']);
  const [containerPort, hostPort] = [portOf(await serve(context, podIP)), await freePort()];
  ports.open(podWith('u1', { containerPort, hostPort }), podIP, true);
  for (const host of [hostIP, '127.0.41.9']) await until(async () => (await ask(hostPort, host)) === `from ${podIP}`);
  ports.close('u1');
  for (const host of [hostIP, '127.0.41.9']) assert.equal(await ask(hostPort, host), '');
});

test('a port of the node that another program has is told, also with the number that the pod uses, when its ports are its own', async (context) => {
  const { ports, problems } = openPorts(context);
  const port = portOf(await serve(context, hostIP));
  await serve(context, podIP, port);
  ports.open(podWith('u1', { containerPort: port, hostPort: port }), podIP, true);
  await until(() => problems.length === 1);
  assert.match(problems[0]!, new RegExp(`u1 port ${port} of the node cannot be had`));
});

test('a pod on the network of its node has its ports itself', async (context) => {
  const { ports } = openPorts(context);
  const [containerPort, hostPort] = [portOf(await serve(context, podIP)), await freePort()];
  ports.open(podWith('u1', { containerPort, hostPort }, true), podIP);
  assert.equal(await ask(hostPort), '');
});

test('datagrams are passed on and answered', async (context) => {
  const { ports } = openPorts(context);
  const program = createSocket('udp4', (message, { port, address }) => program.send(`got ${message.toString()}`, port, address)); // prettier-ignore
  program.bind(0, podIP);
  await once(program, 'listening');
  const client = createSocket('udp4');
  context.after(() => {
    program.close();
    client.close();
  });
  const hostPort = await freePort();
  ports.open(podWith('u1', { containerPort: program.address().port, hostPort, protocol: 'UDP' }), podIP);
  const answer = once(client, 'message') as Promise<[Buffer]>;
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  // What comes before the port is open is lost, as datagrams are.
  await until(() => {
    client.send('hello', hostPort, hostIP);
    return isAnswered;
  });
  assert.equal((await answer)[0].toString(), 'got hello');
});
