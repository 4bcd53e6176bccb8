import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { kubectlAt, type KubectlCluster } from './kubectl-cluster.ts';
import { SeparateCluster } from './separate-cluster.ts';
import { WherryProcess } from './wherry-process.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 60_000 };

let separate: SeparateCluster;
let kubectl: KubectlCluster;

before(async () => {
  if (!('path' in tool)) return;
  const home = await mkdtemp(join(tmpdir(), 'wherry-separate-'));
  separate = await SeparateCluster.create(home, ['--stop-pods']);
  kubectl = kubectlAt(tool.path, home, () => separate.stop('node', 'controllers', 'apiserver'));
  await separate.start();
}, limit);
after(() => kubectl?.close());

const get = (...args: readonly string[]): Promise<string> => kubectl.succeed(['get', ...args]);

async function ready(name: string): Promise<void> {
  await kubectl.succeed(['wait', '--for=condition=Ready', '--timeout=40s', `pod/${name}`]);
}

describe('a node in a process of its own, for kubectl', { skip, ...limit }, () => {
  test('runs pods whose logs can be read and in which commands run', async () => {
    await kubectl.succeed(['run', 'shell', '--image=busybox', '--', 'sh', '-c', 'echo begun; exec sleep 1000']);
    await ready('shell');
    assert.equal(await get('pod', 'shell', '-o', 'jsonpath={.spec.nodeName} {.status.hostIP}'), 'separate 127.0.0.1');
    assert.equal(await kubectl.succeed(['logs', 'shell']), 'begun\n');
    const command = ['exec', '-i', 'shell', '--', 'sh', '-c', 'cat; echo err >&2; exit 7'];
    const { code, stdout, stderr } = await kubectl.kubectl(command, 'through two servers\n');
    assert.deepEqual([code, stdout], [7, 'through two servers\n']);
    assert.match(stderr, /^err\n/);
    const typed = await kubectl.inTerminal(['exec', '-it', 'shell', '--', 'sh'], 'echo $((6*7)); exit 6\n');
    assert.match(typed.stdout, /\b42\r?$/m);
    assert.equal(typed.code, 6);
  });

  test('lets clients attach to pods', async () => {
    const run = ['run', 'once', '--image=busybox', '--restart=Never', '--rm', '-i', '--quiet', '--', 'cat'];
    assert.match(await kubectl.succeed(run, 'through the pod\n'), /^through the pod\n/);
  });

  test('forwards ports and answers for pods, services and itself through proxies', async () => {
    const labels = { app: 'web' };
    const env = [{ name: 'PORT', value: '8080' }];
    const readinessProbe = { httpGet: { port: 8080, path: '/' }, periodSeconds: 1 };
    const container = { name: 'web', image: 'nginx', env, ports: [{ containerPort: 8080 }], readinessProbe };
    const items = [
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web', labels }, spec: { containers: [container] } },
      { kind: 'Service', apiVersion: 'v1', metadata: { name: 'web' }, spec: { selector: labels, ports: [{ port: 8080 }] } }, // prettier-ignore
    ];
    await kubectl.succeed(['create', '-f', '-'], { kind: 'List', apiVersion: 'v1', items });
    await ready('web');
    const direct = await get('--raw', '/api/v1/namespaces/default/pods/web:8080/proxy/');
    assert.match(direct, /<html/i);
    assert.equal(await get('--raw', `/api/v1/nodes/${separate.nodeName}/proxy/healthz`), 'ok');
    const forward = kubectl.start(['port-forward', 'pod/web', ':8080']);
    for await (const line of createInterface({ input: forward.stdout })) {
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (port === undefined) continue;
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), direct);
      break;
    }
    forward.kill();
    await once(forward, 'close');
    const address = await get('service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    assert.equal(await served(`http://${address}:8080/`), direct);
    assert.equal(await get('--raw', '/api/v1/namespaces/default/services/web/proxy/'), direct);
  });

  test('ends pods that are deleted', async () => {
    await kubectl.succeed(['run', 'short', '--image=busybox', '--', 'sleep', '1000']);
    await ready('short');
    await kubectl.succeed(['delete', 'pod', 'short', '--grace-period=1']);
    assert.match((await kubectl.kubectl(['get', 'pod', 'short'])).stderr, /not found/);
  });
});

/** A service is reached once the node has heard of its endpoints. */
async function served(url: string): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(url)).text();
    } catch {
      // Refused so far; the limit of the test ends what never comes.
    }
  }
}

/** What a command says that fails. */
async function complaint(args: readonly string[]): Promise<string> {
  const { code, stderr } = await new WherryProcess(args).ended;
  return `${code}: ${stderr}`;
}

describe('wherry node', { skip, ...limit }, () => {
  const real = ['node', '--runtime', 'process'];

  test('takes neither the directory nor the name of another node', async () => {
    const way = [...real, '--kubeconfig', separate.kubeconfig, '--name', separate.nodeName];
    const [taken, free] = [join(separate.directory, 'node'), join(separate.directory, 'other')];
    assert.match(await complaint([...way, '--data-dir', taken]), /^1: .*held by process \d+/);
    assert.match(await complaint([...way, '--data-dir', free]), /^1: .*node separate already.*--name/);
  });

  test('joins another node of the machine, and leaves services to the first', async () => {
    const args = ['--kubeconfig', separate.kubeconfig, '--name', 'second', '--data-dir', join(separate.directory, '2')];
    const second = new WherryProcess([...real, ...args]);
    assert.equal(await second.firstLine, 'joined second');
    const nodes = await get('nodes', '-o', 'jsonpath={.items[*].metadata.name}');
    assert.deepEqual(nodes.split(' ').sort(), ['second', 'separate']);
    const { code, stderr } = await second.stop();
    assert.equal(code, 0);
    assert.match(stderr, /another node of this machine makes services reachable/);
    assert.equal(await get('events', '--field-selector', 'involvedObject.kind=Service', '-o', 'name'), '');
    await kubectl.succeed(['delete', 'node', 'second']);
  });

  test('says what is wrong with its flags', async () => {
    const way = ['--kubeconfig', separate.kubeconfig];
    const cases: [readonly string[], RegExp][] = [
      [['--runtime', 'process', '--count', '2', ...way], /one machine is one node/],
      [['--runtime', 'process', '--address', '0.0.0.0', ...way], /--address 0\.0\.0\.0/],
      [['--runtime', 'process', '--server', separate.plainUrl], /--client-ca-file/],
      [['--runtime', 'process', '--client-ca-file', '/dev/null', ...way], /\/dev\/null holds no certificate/],
      [['--runtime', 'process', '--tls-cert-file', 'x', ...way], /given together/],
      [['--runtime', 'process', '--tls-cert-file', 'x', '--tls-private-key-file', 'y', ...way], /x and y hold no/],
      [['--runtime', 'process', '--name', '../x', ...way], /--name: "\.\.\/x" cannot be the name of a node/],
      [['--max-pods', '5', '--stop-pods', ...way], /--max-pods goes with --runtime process[^]*--stop-pods goes/],
    ];
    for (const [args, wanted] of cases) {
      const said = await complaint(['node', ...args]);
      assert.match(said, wanted);
      assert.match(said, /^2: /);
    }
  });
});
