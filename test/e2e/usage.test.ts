import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { until } from '../../src/node/testing/until.ts';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 120_000 };

/** The lines of a table, without its head, as words. */
function rows(table: string): string[][] {
  return table.trimEnd().split('\n').slice(1).map((line) => line.trim().split(/\s+/)); // prettier-ignore
}

/** A pod that counts for a while and sleeps longer, for as long as a file is there. */
function burner(file: string): object {
  const count = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done';
  const script = `while :; do if [ -e ${file} ]; then ${count}; fi; sleep 0.4; done`;
  const resources = { requests: { cpu: '20m' } };
  const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', script], resources }];
  return { terminationGracePeriodSeconds: 1, containers };
}

describe('usage of real pods', { skip, ...limit }, () => {
  let cluster: KubectlCluster;
  let directory: string;
  let file: string;

  before(async () => {
    if (!('path' in tool)) return;
    directory = await mkdtemp(join(tmpdir(), 'wherry-usage-'));
    file = join(directory, 'burn');
    await writeFile(file, '');
    cluster = await openKubectlCluster(tool.path, {
      controllers: true,
      autoscaling: { periodMs: 1000, upscaleDelayMs: 1000, downscaleDelayMs: 1000 },
      nodes: { count: 1, runtime: 'process' },
    });
    const labels = { app: 'burner' };
    const template = { metadata: { labels }, spec: burner(file) };
    const deployment = {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'burner' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    };
    const sleeping = { name: 'left', image: 'busybox', command: ['sleep', '1000'] };
    const pair = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'pair', labels: { app: 'pair' } },
      spec: { terminationGracePeriodSeconds: 1, containers: [sleeping, { ...sleeping, name: 'right' }] },
    };
    await cluster.succeed(['create', '-f', '-'], { kind: 'List', apiVersion: 'v1', items: [deployment, pair] });
    await cluster.succeed(['wait', '--for=condition=Available', '--timeout=40s', 'deployment/burner']);
    await cluster.succeed(['wait', '--for=condition=Ready', '--timeout=40s', 'pod/pair']);
    await until(async () => {
      const { stdout } = await cluster.kubectl(['top', 'pods', '--no-headers']);
      return stdout.trimEnd().split('\n').length === 2;
    });
  }, limit);
  after(async () => {
    await cluster?.close();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  test('kubectl top pods shows what each pod uses', async () => {
    const sorted = rows(await cluster.succeed(['top', 'pods', '--sort-by=cpu']));
    assert.deepEqual(sorted.map(([name = '']) => name.split('-')[0]), ['burner', 'pair']); // prettier-ignore
    const [busy, idle] = sorted.map(([, cpu = '']) => Number.parseInt(cpu, 10));
    assert.ok(busy! > idle!, `${busy} and ${idle}`);
    for (const [, cpu, memory] of sorted) assert.match(`${cpu} ${memory}`, /^\d+m \d+Mi$/);
    assert.equal(rows(await cluster.succeed(['top', 'pods', '-l', 'app=pair'])).length, 1);
    const containers = rows(await cluster.succeed(['top', 'pod', 'pair', '--containers'])).map(([, name]) => name);
    assert.deepEqual(new Set(containers), new Set(['left', 'right']));
    const everywhere = rows(await cluster.succeed(['top', 'pods', '-A', '--sort-by=memory']));
    assert.deepEqual(new Set(everywhere.map(([namespace]) => namespace)), new Set(['default']));
    assert.match((await cluster.kubectl(['top', 'pod', 'nobody'])).stderr, /not found/);
    assert.match((await cluster.kubectl(['top', 'pods', '-n', 'kube-system'])).stderr, /No resources found/);
  });

  test('kubectl top nodes shows what the machine uses', async () => {
    const [[name = '', cpu, share, memory] = [], ...others] = rows(await cluster.succeed(['top', 'nodes']));
    assert.equal(others.length, 0);
    assert.match(`${cpu} ${share} ${memory}`, /^\d+m \d+% \d+Mi$/);
    assert.deepEqual(rows(await cluster.succeed(['top', 'node', name])).map(([each]) => each), [name]); // prettier-ignore
    assert.match((await cluster.kubectl(['top', 'node', 'nobody'])).stderr, /not found/);
  });

  test('metrics are listed as any other kind, to those who may see them', async () => {
    assert.match(await cluster.succeed(['get', 'pods.metrics.k8s.io', 'pair']), /^NAME +CPU +MEMORY +WINDOW\npair /);
    assert.match(await cluster.succeed(['api-resources', '--api-group=metrics.k8s.io']), /PodMetrics/);
    const asJane = ['--as=jane', 'top', 'pods'];
    assert.match((await cluster.kubectl(asJane)).stderr, /"jane" cannot list pods of group "metrics.k8s.io"/);
    await cluster.succeed(['create', 'rolebinding', 'jane', '--clusterrole=view', '--user=jane']);
    assert.equal(rows(await cluster.succeed(asJane)).length, 2);
  });

  test('an autoscaler adds pods while they burn, and takes them away when they rest', async () => {
    const scaled = cluster.start(['get', 'deployment', 'burner', '-w', '-o', 'jsonpath={.spec.replicas}{"\\n"}']);
    const lines = createInterface({ input: scaled.stdout })[Symbol.asyncIterator]();
    const reaches = async (count: string): Promise<void> => {
      for (let line = ''; line !== count;) line = String((await lines.next()).value);
    };
    await cluster.succeed(['autoscale', 'deployment', 'burner', '--min=1', '--max=2', '--cpu-percent=80']);
    await reaches('2');
    await rm(file);
    await reaches('1');
    scaled.kill();
    const events = await cluster.succeed(['get', 'events', '--field-selector=reason=SuccessfulRescale']);
    assert.match(events, /New size: 2; reason: CPU utilization above target/);
    assert.match(events, /New size: 1; reason: All metrics below target/);
  });
});

describe('usage of simulated pods', { skip, ...limit }, () => {
  test('is what their annotations say', async (t) => {
    if (!('path' in tool)) return;
    const cluster = await openKubectlCluster(tool.path, {
      controllers: true,
      nodes: { count: 2, runtime: 'simulated' },
    });
    t.after(() => cluster.close());
    const run = ['run', 'toy', '--image=x', '--annotations=simulated.wherry.dev/cpu-usage=300m'];
    await cluster.succeed([...run, '--annotations=simulated.wherry.dev/memory-usage=64Mi']);
    await cluster.succeed(['wait', '--for=condition=Ready', '--timeout=40s', 'pod/toy']);
    assert.deepEqual(rows(await cluster.succeed(['top', 'pods'])), [['toy', '300m', '64Mi']]);
    const nodes = rows(await cluster.succeed(['top', 'nodes', '--sort-by=cpu']));
    assert.deepEqual(nodes.map(([, cpu, , memory]) => `${cpu} ${memory}`), ['300m 64Mi', '0m 0Mi']); // prettier-ignore
  });

  test('is nothing where there are no nodes', async (t) => {
    if (!('path' in tool)) return;
    const cluster = await openKubectlCluster(tool.path);
    t.after(() => cluster.close());
    assert.match(await cluster.succeed(['get', '--raw', '/apis/metrics.k8s.io/v1beta1/nodes']), /"items":\[\]/);
    assert.match((await cluster.kubectl(['top', 'node', 'nobody'])).stderr, /not found/);
    assert.match((await cluster.kubectl(['top', 'pods'])).stderr, /No resources found/);
  });
});
