import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 120_000 };
const patience = '--timeout=60s';

let cluster: KubectlCluster;
before(async () => {
  if (!('path' in tool)) return;
  cluster = await openKubectlCluster(tool.path, { controllers: true, nodes: { count: 2, runtime: 'simulated' } });
}, limit);
after(() => cluster?.close());

function field(object: string, path: string): Promise<string> {
  return cluster.succeed(['get', object, '-o', `jsonpath={${path}}`]);
}

async function rolledOut(object: string): Promise<void> {
  assert.match(await cluster.succeed(['rollout', 'status', object, patience]), /successfully rolled out\n$/);
}

/** kubectl fails where there is nothing left to wait for. */
async function gone(...selection: string[]): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['wait', '--for=delete', 'pod', patience, ...selection]);
  assert.ok(code === 0 || stderr === 'error: no matching resources found\n', stderr);
}

/** Asks until the answer is the one that is waited for. */
async function becomes(object: string, path: string, wanted: string): Promise<void> {
  let found = await field(object, path);
  for (let tries = 0; found !== wanted && tries < 100; tries++) found = await field(object, path);
  assert.equal(found, wanted);
}

describe('kubectl and a deployment', { skip }, () => {
  const image = (): Promise<string> => field('deployment/web', '.spec.template.spec.containers[0].image');

  before(async () => {
    await cluster.succeed(['create', 'deployment', 'web', '--image=web:1', '--replicas=2']);
  });

  test('wait until it can serve', limit, async () => {
    await rolledOut('deployment/web');
    await cluster.succeed(['wait', '--for=condition=available', 'deployment/web', patience]);
    await cluster.succeed(['wait', '--for=condition=ready', 'pod', '-l', 'app=web', patience]);
    assert.match(await cluster.succeed(['get', 'deployment', 'web']), /^web +2\/2 +2 +2 /m);
  });

  test('replace its pods, tell of it and go back', limit, async () => {
    await cluster.succeed(['set', 'image', 'deployment/web', 'web=web:2', '--record']);
    await rolledOut('deployment/web');
    const history = await cluster.succeed(['rollout', 'history', 'deployment/web']);
    assert.match(history, /^1 +<none>$/m);
    assert.match(history, /^2 +kubectl .*set image deployment\/web web=web:2/m);
    assert.match(await cluster.succeed(['rollout', 'history', 'deployment/web', '--revision=1']), /Image:\s+web:1/);
    await cluster.succeed(['rollout', 'undo', 'deployment/web']);
    await rolledOut('deployment/web');
    assert.equal(await image(), 'web:1');
    await cluster.succeed(['rollout', 'undo', 'deployment/web', '--to-revision=2']);
    await rolledOut('deployment/web');
    assert.equal(await image(), 'web:2');
  });

  test('stop it, change it and let it go on', limit, async () => {
    await cluster.succeed(['rollout', 'pause', 'deployment/web']);
    await cluster.succeed(['set', 'env', 'deployment/web', 'COLOUR=blue']);
    await cluster.succeed(['set', 'resources', 'deployment/web', '--requests=cpu=10m', '--limits=memory=64Mi']);
    assert.equal(await field('pods', '.items[0].spec.containers[0].env'), '');
    await cluster.succeed(['rollout', 'resume', 'deployment/web']);
    await rolledOut('deployment/web');
    assert.match(await cluster.succeed(['set', 'env', 'deployment/web', '--list']), /^COLOUR=blue$/m);
    await cluster.succeed(['rollout', 'restart', 'deployment/web']);
    await rolledOut('deployment/web');
  });

  test('scale it, if it is as large as it is thought to be', limit, async () => {
    assert.equal(await cluster.succeed(['scale', 'deployment/web', '--replicas=3']), 'deployment.apps/web scaled\n');
    await rolledOut('deployment/web');
    const mistaken = ['scale', 'deployment/web', '--current-replicas=7', '--replicas=1'];
    assert.match((await cluster.kubectl(mistaken)).stderr, /Expected replicas to be 7, was 3/);
    await cluster.succeed(['scale', 'deployment/web', '--current-replicas=3', '--replicas=1']);
    await rolledOut('deployment/web');
    assert.equal(await field('deployment/web', '.status.replicas'), '1');
    const older = ['scale', 'deployments.v1beta1.extensions/web', '--replicas=2'];
    await cluster.succeed(older);
    assert.equal(await field('deployment/web', '.spec.replicas'), '2');
    await rolledOut('deployment/web');
  });

  test('see in it what its parts tell', limit, async () => {
    const description = await cluster.succeed(['describe', 'deployment', 'web']);
    assert.match(description, /Replicas:\s+2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/);
    assert.match(description, /Available\s+True\s+MinimumReplicasAvailable/);
    assert.match(description, /NewReplicaSet:\s+web-\S+ \(2\/2 replicas created\)/);
    assert.match(description, /ScalingReplicaSet/);
  });

  test('lead requests to its pods', limit, async () => {
    await cluster.succeed(['expose', 'deployment', 'web', '--port=80', '--target-port=8080']);
    const service = await cluster.succeed(['describe', 'service', 'web']);
    assert.match(service, /Endpoints:\s+\d+\.\d+\.\d+\.\d+:8080,\d+\.\d+\.\d+\.\d+:8080/);
  });

  test('delete it, and all that belongs to it', limit, async () => {
    await cluster.succeed(['delete', 'deployment', 'web', '--cascade=foreground']);
    await gone('-l', 'app=web');
    const left = await cluster.kubectl(['get', 'deployments,replicasets,pods', '-l', 'app=web']);
    assert.match(left.stderr, /^No resources found/);
  });
});

describe('kubectl and other workloads', { skip }, () => {
  test('a daemon set runs on each node and is rolled out', limit, async () => {
    const labels = { app: 'agent' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'agent:1' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const agent = { kind: 'DaemonSet', apiVersion: 'apps/v1', metadata: { name: 'agent' }, spec };
    await cluster.succeed(['apply', '-f', '-'], agent);
    await rolledOut('daemonset/agent');
    assert.equal(await field('daemonset/agent', '.status.numberReady'), '2');
    await cluster.succeed(['set', 'image', 'daemonset/agent', 'main=agent:2']);
    await rolledOut('daemonset/agent');
    const images = await cluster.succeed(['get', 'pods', '-l', 'app=agent', '-o', 'jsonpath={.items[*].spec.containers[0].image}']); // prettier-ignore
    assert.equal(images, 'agent:2 agent:2');
  });

  test('a job completes', limit, async () => {
    await cluster.succeed(['create', 'job', 'task', '--image=task:1']);
    await cluster.succeed(['wait', '--for=condition=complete', 'job/task', patience]);
    assert.match(await cluster.succeed(['get', 'job', 'task']), /^task +1\/1 /m);
    await cluster.succeed(['delete', 'job', 'task']);
    await gone('-l', 'job-name=task');
  });

  test('a replication controller and a replica set are scaled', limit, async () => {
    const labels = { app: 'plain' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'plain:1' }] } };
    const controller = { kind: 'ReplicationController', apiVersion: 'v1', metadata: { name: 'plain' }, spec: { replicas: 1, template } }; // prettier-ignore
    const set = { kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { name: 'set' }, spec: { selector: { matchLabels: { app: 'set' } }, template: { ...template, metadata: { labels: { app: 'set' } } } } }; // prettier-ignore
    await cluster.succeed(['create', '-f', '-'], { kind: 'List', apiVersion: 'v1', items: [controller, set] });
    await cluster.succeed(['scale', 'rc/plain', 'rs/set', '--replicas=2']);
    await becomes('rc/plain', '.status.replicas', '2');
    await becomes('rs/set', '.status.readyReplicas', '2');
    await cluster.succeed(['delete', 'rc/plain', 'rs/set']);
    await gone('-l', 'app in (plain, set)');
  });
});

describe('kubectl and nodes', { skip }, () => {
  test('close a node, empty it and open it again', limit, async () => {
    await cluster.succeed(['create', 'deployment', 'moved', '--image=web:1', '--replicas=2']);
    await rolledOut('deployment/moved');
    const nodesOf = (): Promise<string> =>
      cluster.succeed(['get', 'pods', '-l', 'app=moved', '-o', 'jsonpath={.items[*].spec.nodeName}']);
    await cluster.succeed(['cordon', 'node-1']);
    assert.match(await cluster.succeed(['get', 'node', 'node-1']), /^node-1 +Ready,SchedulingDisabled /m);
    await cluster.succeed(['drain', 'node-1', '--ignore-daemonsets', '--force', patience]);
    await rolledOut('deployment/moved');
    assert.equal(await nodesOf(), 'node-2 node-2');
    await cluster.succeed(['uncordon', 'node-1']);
    assert.match(await cluster.succeed(['get', 'node', 'node-1']), /^node-1 +Ready +/m);
    assert.match(await cluster.succeed(['describe', 'node', 'node-1']), /^Conditions:$/m);
  });

  test('a namespace takes with it all that is in it', limit, async () => {
    await cluster.succeed(['create', 'namespace', 'passing']);
    await cluster.succeed(['create', 'deployment', 'inside', '--image=web:1', '-n', 'passing']);
    await cluster.succeed(['delete', 'namespace', 'passing', patience]);
    const left = await cluster.kubectl(['get', 'all', '-n', 'passing']);
    assert.match(left.stderr, /^No resources found/);
  });
});
