import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { freePort } from './free-port.ts';
import { openKubectlUp, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 120_000 };
/** Ports below 1024 need rights that whoever runs tests may not have. */
const port = 8080;

let cluster: KubectlCluster;
let directory: string;
/** Where everything is allowed without TLS. */
let plainUrl: string;

interface WebOptions {
  readonly replicas: number;
  readonly readinessProbe: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A deployment of web servers and its service. */
function web(name: string, { replicas, readinessProbe, environment = {} }: WebOptions): object[] {
  const env = Object.entries({ PORT: String(port), ...environment }).map(([name, value]) => ({ name, value }));
  const container = { name: 'web', image: 'nginx:1.21', ports: [{ containerPort: port }], env, readinessProbe };
  const selector = { app: name };
  return [
    {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: selector },
        template: { metadata: { labels: selector }, spec: { containers: [container] } },
      },
    },
    { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec: { selector, ports: [{ port }] } },
  ];
}

const pageProbe = { httpGet: { port, path: '/' }, periodSeconds: 1 };

before(async () => {
  if (!('path' in tool)) return;
  directory = await mkdtemp(join(tmpdir(), 'wherry-web-'));
  const plainPort = String(await freePort());
  plainUrl = `http://127.0.0.1:${plainPort}`;
  cluster = await openKubectlUp(tool.path, ['--insecure-port', plainPort]);
}, limit);
after(async () => {
  await cluster?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
});

async function create(objects: readonly object[]): Promise<void> {
  await cluster.succeed(['create', '-f', '-'], { kind: 'List', apiVersion: 'v1', items: objects });
}

interface Answered {
  readonly status: number | undefined;
  readonly body: string;
}

/** One request over a connection of its own, as curl makes it. */
async function ask(url: string): Promise<Answered> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject);
  });
  return { body: await text(answer), status: answer.statusCode };
}

async function clusterUrl(service: string): Promise<string> {
  const address = await cluster.succeed(['get', 'service', service, '-o', 'jsonpath={.spec.clusterIP}']);
  return `http://${address}:${port}/`;
}

const proxyUrl = (service: string): string => `${plainUrl}/api/v1/namespaces/default/services/${service}/proxy/`;

/** The addresses of a service that are in the endpoints, ready and not. */
async function endpoints(service: string): Promise<{ ready: string; notReady: string }> {
  const of = (which: string): Promise<string> =>
    cluster.succeed(['get', 'endpoints', service, '-o', `jsonpath={.subsets[*].${which}[*].ip}`]);
  return { ready: await of('addresses'), notReady: await of('notReadyAddresses') };
}

/** Follows what kubectl prints of an object until a line is as wished. */
async function reaches(args: readonly string[], isSo: (line: string) => boolean): Promise<void> {
  const child = cluster.start(['get', '-w', ...args]);
  try {
    for await (const line of createInterface({ input: child.stdout })) if (isSo(line)) return;
    assert.fail(`kubectl get -w ${args.join(' ')} ended`);
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
}

/** The processes of this machine that run the web server of a pod, by the address of the pod. */
async function serversOf(podIP: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string): Promise<string[]> =>
        readFile(`/proc/${pid}/${file}`, 'latin1').then(
          (content) => content.split('\0'),
          () => [],
        );
      const [command, environment] = [await read('cmdline'), await read('environ')];
      return command[0] === process.execPath && environment.includes(`POD_IP=${podIP}`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

describe('a deployment of a web server and its service', { skip, ...limit }, () => {
  before(async () => {
    if (skip) return;
    await create(web('site', { replicas: 2, readinessProbe: pageProbe }));
    await cluster.succeed(['rollout', 'status', 'deployment/site', '--timeout=60s']);
  }, limit);

  test('are reached at the cluster IP and through the API, and all pods take their turn', async () => {
    const pods = (await cluster.succeed(['get', 'pods', '-l', 'app=site', '-o', 'name'])).trim().split('\n');
    assert.equal(pods.length, 2);
    for (const url of [await clusterUrl('site'), proxyUrl('site')]) {
      const seen = new Set<string>();
      while (seen.size < pods.length) {
        const { status, body } = await ask(url);
        assert.equal(status, 200);
        const [, pod = ''] = /Welcome to ([^<]+)</.exec(body) ?? [];
        assert.ok(pods.includes(`pod/${pod}`), body);
        seen.add(pod);
      }
    }
  });

  test('a pod whose process is killed runs again, and the restart is counted once', async () => {
    const fields = '{.items[0].metadata.name} {.items[0].status.podIP}';
    const [name = '', ip = ''] = (await cluster.succeed(['get', 'pods', '-l', 'app=site', '-o', `jsonpath=${fields}`])).split(' '); // prettier-ignore
    const [pid, ...others] = await serversOf(ip);
    assert.ok(pid !== undefined && others.length === 0, 'a pod has one server');
    process.kill(pid, 'SIGKILL');
    const status = '{.status.containerStatuses[0]';
    const shown = `jsonpath=${status}.restartCount} ${status}.ready} ${status}.lastState.terminated.exitCode}{"\\n"}`;
    await reaches(['pod', name, '-o', shown], (line) => line === '1 true 137');
    const [next] = await serversOf(ip);
    assert.ok(next !== undefined && next !== pid);
    await reaches(['endpoints', 'site', '-o', 'jsonpath={.subsets[*].addresses[*].ip}{"\\n"}'], (line) => line.split(' ').includes(ip)); // prettier-ignore
    assert.equal((await ask(`http://${ip}:${port}/`)).status, 200);
    assert.equal(await cluster.succeed(['get', 'pod', name, '-o', `jsonpath=${status}.restartCount}`]), '1');
  });
});

test('a pod that is not ready is not in the endpoints, and gets no requests', { skip, ...limit }, async () => {
  const gate = join(directory, 'gate');
  const readinessProbe = { exec: { command: ['test', '-e', gate] }, periodSeconds: 1, failureThreshold: 1 };
  await create(web('gated', { replicas: 1, readinessProbe }));
  const counted = 'jsonpath={.subsets[*].addresses[*].ip} not {.subsets[*].notReadyAddresses[*].ip}{"\\n"}';
  const [url, proxied] = [await clusterUrl('gated'), proxyUrl('gated')];
  const isClosed = async (): Promise<void> => {
    const { ready, notReady } = await endpoints('gated');
    assert.deepEqual([ready, isIPv4(notReady)], ['', true]);
    // It would answer.
    assert.equal((await ask(`http://${notReady}:${port}/`)).status, 200);
    await assert.rejects(ask(url), /ECONNREFUSED|ECONNRESET|socket hang up/);
    const { status, body } = await ask(proxied);
    assert.deepEqual([status, (JSON.parse(body) as { kind: string }).kind], [503, 'Status']);
  };
  await reaches(['endpoints', 'gated', '-o', counted], (line) => / not \d/.test(line));
  await reaches(['pod', '-l', 'app=gated', '-o', 'jsonpath={.status.containerStatuses[0].state.running.startedAt}{"\\n"}'], (line) => line !== ''); // prettier-ignore
  await served(`http://${(await endpoints('gated')).notReady}:${port}/`);
  await isClosed();
  await writeFile(gate, '');
  await reaches(['endpoints', 'gated', '-o', counted], (line) => /^\d\S+ not $/.test(line));
  await served(url);
  assert.equal((await ask(proxied)).status, 200);
  await rm(gate);
  await reaches(['endpoints', 'gated', '-o', counted], (line) => /^ not \d/.test(line));
  await refused(url);
  await isClosed();
});

/** Asks until there is an answer: the proxy of the node learns of endpoints at about the same time as others. */
async function served(url: string): Promise<void> {
  while (!(await ask(url).catch(() => undefined)));
}

async function refused(url: string): Promise<void> {
  while (await ask(url).catch(() => undefined));
}

test('a rolling update loses no request', { skip, ...limit }, async (t) => {
  const options = { replicas: 3, readinessProbe: pageProbe };
  await create(web('rolling', options));
  await cluster.succeed(['rollout', 'status', 'deployment/rolling', '--timeout=60s']);
  const url = await clusterUrl('rolling');
  await served(url);
  const counts = { asked: 0 };
  const failures: string[] = [];
  const podsSeen = new Set<string>();
  const over = new AbortController();
  const loop = async (where: string): Promise<void> => {
    while (!over.signal.aborted) {
      counts.asked++;
      try {
        const { status, body } = await ask(where);
        podsSeen.add(/Welcome to ([^<]+)</.exec(body)?.[1] ?? '');
        if (status !== 200) failures.push(`${where}: ${status} ${body}`);
      } catch (error) {
        failures.push(`${where}: ${String(error)}`);
      }
    }
  };
  const loops = [url, url, url, url, proxyUrl('rolling'), proxyUrl('rolling')].map(loop);
  for (const round of ['1', '2']) {
    await cluster.succeed(['set', 'env', 'deployment/rolling', `ROUND=${round}`]);
    await cluster.succeed(['rollout', 'status', 'deployment/rolling', '--timeout=60s']);
    // Pods of the round before end while requests go on.
    const names = 'jsonpath={.items[*].metadata.name}';
    while ((await cluster.succeed(['get', 'pods', '-l', 'app=rolling', '-o', names])).split(' ').length > options.replicas); // prettier-ignore
  }
  over.abort();
  await Promise.all(loops);
  t.diagnostic(`${counts.asked} requests, ${podsSeen.size} pods`);
  assert.deepEqual(failures, []);
  assert.ok(counts.asked > 100, `${counts.asked} requests`);
  assert.ok(podsSeen.size >= 3 * options.replicas, `only ${podsSeen.size} pods were seen`);
});
