import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { namespaceDirectory, networkNames } from '../../src/node/runtimes/process/network/veth/network-names.ts';
import { whyNoOwnNetworks } from '../../src/node/runtimes/process/testing/own-networks.ts';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { freePort } from './free-port.ts';
import { WherryProcess } from './wherry-process.ts';

const run = promisify(execFile);
const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : ((await whyNoOwnNetworks()) ?? false);
const limit = { timeout: 60_000 };

let directory: string;
let hostPort: number;
let server: WherryProcess;
const started: WherryProcess[] = [];

/** Answers every connection with who was asked, on all addresses and on the loopback address alone. */
const greeter = `
  const { createServer } = require('node:net');
  // Whoever only looks whether it listens is gone by then.
  const greet = (what) => createServer((socket) => socket.on('error', () => {}).end(what + ' from ' + process.env.HOSTNAME));
  greet('a').listen(4000);
  greet('a loopback').listen(4001, '127.0.0.1', () => console.log('here'));
`;
/** Prints what is said there, and then has nothing more to say itself. */
function ask(host: string, port: number): string[] {
  const script = `const s = require('node:net').connect(${port}, '${host}'); s.on('data', (d) => process.stdout.write(d) && s.end())`;
  return ['node', '-e', script];
}

function pod(name: string, containers: readonly object[], more: object = {}): object {
  const spec = { terminationGracePeriodSeconds: 1, containers, ...more };
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name, labels: { app: name } }, spec };
}

const idle = { name: 'main', image: 'node', command: ['sleep', '1000'] };
const objects = (): object[] => [
  pod('greeter', [
    {
      name: 'main',
      image: 'node',
      command: ['node', '-e', greeter],
      ports: [{ name: 'greet', containerPort: 4000, hostPort }],
      readinessProbe: { tcpSocket: { port: 4000 }, periodSeconds: 1 },
    },
    { name: 'beside', image: 'node', command: ['sleep', '1000'] },
  ]),
  pod('visitor', [idle]),
  pod('on-host', [idle], { hostNetwork: true }),
  {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'greeter' },
    spec: { type: 'NodePort', selector: { app: 'greeter' }, ports: [{ port: 4000 }] },
  },
];

function start(network: string, dataDirectory = directory): WherryProcess {
  const process = new WherryProcess([
    'up',
    '--data-dir',
    dataDirectory,
    '--secure-port',
    '0',
    '--pod-network',
    network,
  ]);
  started.push(process);
  return process;
}

async function up(): Promise<void> {
  server = start('veth');
  if ((await server.firstLine) === undefined) assert.fail((await server.ended).stderr);
}

function kubectlArgs(args: readonly string[]): string[] {
  return ['--kubeconfig', join(directory, 'kubeconfig'), '--cache-dir', join(directory, 'cache'), ...args];
}

async function kubectl(args: readonly string[], input?: object): Promise<string> {
  const child = run('path' in tool ? tool.path : '', kubectlArgs(args), { timeout: 60_000 });
  child.child.stdin?.end(input && JSON.stringify(input));
  return (await child).stdout;
}

/** What a command within a pod prints. */
function within(podName: string, command: readonly string[], container = 'main'): Promise<string> {
  return kubectl(['exec', podName, '-c', container, '--', ...command]);
}

const field = (what: string, path: string): Promise<string> => kubectl(['get', ...what.split('/'), '-o', `jsonpath={${path}}`]); // prettier-ignore
const ready = (): Promise<string> => kubectl(['wait', '--for=condition=Ready', '--timeout=40s', 'pod/greeter', 'pod/visitor', 'pod/on-host']); // prettier-ignore

/** What is said at an address, seen from the machine. */
async function greetingAt(host: string, port: number): Promise<string> {
  const [program, ...args] = [process.execPath, ...ask(host, port).slice(1)] as const;
  return (await run(program, args, { timeout: 10_000 })).stdout;
}

async function namespaces(): Promise<string[]> {
  const { namespacePrefix } = networkNames(join(directory, 'node'));
  const all = await readdir(namespaceDirectory).catch(() => []);
  return all.filter((name) => name.startsWith(namespacePrefix));
}

/** What there is on the machine of the cluster's networks. */
async function parts(): Promise<string[]> {
  const names = networkNames(join(directory, 'node'));
  const [links, routes] = await Promise.all([
    run('ip', ['-o', 'link', 'show']),
    run('ip', ['-o', '-4', 'route', 'show', 'table', 'local']),
  ]);
  const ours = [names.bridge, names.linkPrefix, ` metric ${names.routeMetric} `];
  const lines = [...links.stdout.split('\n'), ...routes.stdout.split('\n')];
  return [...lines.filter((line) => ours.some((text) => line.includes(text))), ...(await namespaces())];
}

before(async () => {
  if (skip !== false) return;
  directory = await mkdtemp(join(tmpdir(), 'wherry-network-'));
  hostPort = await freePort();
  await up();
  await kubectl(['create', '-f', '-'], { kind: 'List', apiVersion: 'v1', items: objects() });
  await ready();
}, limit);

after(async () => {
  if (skip !== false) return;
  await Promise.all(started.map((process) => process.stop('SIGKILL')));
  // What a test that failed has left is taken up once more and ended in order.
  if ((await parts()).length > 0) {
    await up();
    await server.stop();
  }
  await rm(directory, { recursive: true, force: true });
}, limit);

async function checkReach(): Promise<void> {
  const [ip, hostIP] = await Promise.all([field('pod/greeter', '.status.podIP'), field('pod/greeter', '.status.hostIP')]); // prettier-ignore
  const [clusterIP, nodePort] = await Promise.all([field('service/greeter', '.spec.clusterIP'), field('service/greeter', '.spec.ports[0].nodePort')]); // prettier-ignore
  const wanted = 'a from greeter';
  assert.equal(await greetingAt(ip, 4000), wanted, 'from the host to the pod');
  assert.equal(await greetingAt(clusterIP, 4000), wanted, 'from the host to the service');
  assert.equal(await greetingAt('127.0.0.1', hostPort), wanted, 'from the host to its own port');
  const ways: (readonly [string, number])[] = [[ip, 4000], [clusterIP, 4000], [hostIP, Number(nodePort)], [hostIP, hostPort]]; // prettier-ignore
  for (const [host, port] of ways) {
    assert.equal(await within('visitor', ask(host, port)), wanted, `from a pod to ${host}:${port}`);
    assert.equal(await within('on-host', ask(host, port)), wanted, `from a pod on the host to ${host}:${port}`);
  }
  assert.equal(await within('greeter', ask('127.0.0.1', 4001), 'beside'), 'a loopback from greeter');
}

/** Calls the API as pods do, with what is in their environment and files. */
const callApi = `
  const { readFileSync } = require('node:fs');
  const account = '/var/run/secrets/kubernetes.io/serviceaccount/';
  const options = {
    host: process.argv[1] || process.env.KUBERNETES_SERVICE_HOST,
    port: process.argv[2] || process.env.KUBERNETES_SERVICE_PORT,
    path: '/version',
    ca: readFileSync(account + 'ca.crt'),
    headers: { authorization: 'Bearer ' + readFileSync(account + 'token') },
  };
  require('node:https').get(options, (response) => console.log(response.resume().statusCode)).on('error', (error) => console.log(error.message));
`;

describe('pods with networks of their own', { skip }, () => {
  test('reach each other, services, ports of the node and, within a pod, the loopback address', limit, checkReach);

  test('reach the API server with their service account, directly and through its service', limit, async () => {
    assert.equal(await within('visitor', ['node', '-e', callApi]), '200\n');
    const clusterIP = await field('service/kubernetes', '.spec.clusterIP');
    assert.equal(await within('visitor', ['node', '-e', callApi, clusterIP, '443']), '200\n');
    assert.equal(await within('on-host', ['node', '-e', callApi]), '200\n');
  });

  test('have a network that is not that of the host, unless they ask for it', limit, async () => {
    const show = ['node', '-p', 'Object.keys(require("node:os").networkInterfaces()).join()'];
    assert.equal(await within('visitor', show), 'lo,eth0\n');
    const names = networkNames(join(directory, 'node'));
    assert.match(await within('on-host', show), new RegExp(names.bridge));
    assert.equal(await field('pod/on-host', '.status.podIP'), await field('pod/on-host', '.status.hostIP'));
  });

  test('have logs', limit, async () => {
    assert.equal(await kubectl(['logs', 'greeter', '-c', 'main']), 'here\n');
  });

  test('have their ports forwarded, those on the loopback address too', limit, async () => {
    for (const [port, wanted] of [
      [4000, 'a from greeter'],
      [4001, 'a loopback from greeter'],
    ] as const) {
      // prettier-ignore
      const forward = spawn('path' in tool ? tool.path : '', kubectlArgs(['port-forward', 'pod/greeter', `:${port}`]));
      try {
        for await (const line of createInterface({ input: forward.stdout })) {
          const [, local] = /127\.0\.0\.1:(\d+)/.exec(line) ?? [];
          if (local === undefined) continue;
          forward.stdout.resume();
          assert.equal(await greetingAt('127.0.0.1', Number(local)), wanted);
          break;
        }
      } finally {
        forward.kill();
        await once(forward, 'close');
      }
    }
  });

  test('go on when everything is killed, and are reached as before', limit, async () => {
    const before = await field('pods', '.items[*].status.podIP');
    await server.stop('SIGKILL');
    assert.equal(await greetingAt(before.split(' ')[0]!, 4000), 'a from greeter');
    await up();
    await ready();
    assert.equal(await field('pods', '.items[*].status.podIP'), before);
    assert.equal(await field('pods', '.items[*].status.containerStatuses[*].restartCount'), '0 0 0 0');
    await checkReach();
  });

  test('leave nothing behind when they are deleted, nor does the node when it is stopped', limit, async () => {
    await kubectl(['delete', 'pod', 'greeter', 'visitor', '--wait']);
    // They are gone from the API a moment before what they were given is freed.
    while ((await namespaces()).length > 0);
    await kubectl(['create', '-f', '-'], pod('last', [idle]));
    await kubectl(['wait', '--for=condition=Ready', '--timeout=40s', 'pod/last']);
    assert.equal((await namespaces()).length, 1);
    const { code, stderr } = await server.stop();
    assert.equal(code, 0, stderr);
    assert.deepEqual(await parts(), []);
  });

  test('keep the range of services, which decides where a choice is left', limit, async () => {
    server = start('auto');
    assert.ok(await server.firstLine);
    assert.doesNotMatch(await field('service/greeter', '.spec.clusterIP'), /^127\./);
    assert.ok((await parts()).length > 0);
    await server.stop();
    assert.deepEqual(await parts(), []);
    const old = await mkdtemp(join(tmpdir(), 'wherry-network-'));
    try {
      const first = start('loopback', old);
      assert.ok(await first.firstLine);
      await first.stop();
      assert.match((await start('veth', old).ended).stderr, /services have addresses of 127\.128\.0\.0\/16/);
      const auto = start('auto', old);
      assert.ok(await auto.firstLine);
      assert.match((await auto.stop()).stderr, /pods have loopback addresses/);
    } finally {
      await rm(old, { recursive: true, force: true });
    }
  });
});
