import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from '../src/client/object-name.ts';
import { configMap as configMapKind } from '../src/kinds/core/config-map.ts';
import { namespace as namespaceKind } from '../src/kinds/core/namespace.ts';
import { pod as podKind, type Pod } from '../src/kinds/core/pod.ts';
import { isReady } from '../src/kinds/core/pod/pod-state.ts';
import { secret as secretKind } from '../src/kinds/core/secret.ts';
import { deployment as deploymentKind, type Deployment } from '../src/kinds/extensions/deployment.ts';
import { kinds } from '../src/kinds/index.ts';
import { nodeNames } from '../src/node/simulated/run-simulated-nodes.ts';
import { ChaosWorld } from './chaos/chaos-world.ts';

function numbered<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i + 1));
}

/** What takes a tenth of a node of four processors. */
const spec = {
  containers: [{ name: 'main', image: 'image', resources: { requests: { cpu: '400m', memory: '64Mi' } } }],
};

function podNamed(name: string): Pod {
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'one' }, spec, status: {} };
}

function deploymentOf(replicas: number): Deployment {
  return {
    kind: 'Deployment',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'web', namespace: 'one' },
    spec: { replicas, template: { metadata: { labels: { app: 'web' } }, spec } },
  };
}

test('1,000 pods that fill 100 nodes to the last are all bound and run, and no node gives more than it has', async () => {
  const world = await ChaosWorld.open({ nodes: { names: nodeNames(100) }, killsNodes: true });
  try {
    for (const pod of numbered(1001, (number) => podNamed(`pod-${number}`))) await world.client.create(podKind, pod);
    await world.start();
    await world.pass(2000);
    const { items } = await world.client.list(podKind);
    const waiting = items.filter(({ spec }) => !spec.nodeName);
    assert.equal(waiting.length, 1, 'the one for which there is no room');
    assert.deepEqual(new Set(world.room.counts().values()), new Set([10]));
    const running = items.filter((pod) => pod.status.phase === 'Running' && isReady(pod));
    assert.equal(running.length, 1000);
    assert.equal(new Set(running.map(({ status }) => status.podIP)).size, 1000);
    await world.client.delete(podKind, nameOf(running[0]!), { gracePeriodSeconds: 0 });
    await world.pass(65_000);
    assert.equal((await world.client.get(podKind, nameOf(waiting[0]!))).status.phase, 'Running');
  } finally {
    await world.close();
  }
});

test('a namespace with 1,000 objects empties and goes, pods that are kept at their number included, and others stay', async () => {
  const world = await ChaosWorld.open({ nodes: { names: nodeNames(10) }, killsNodes: true });
  const { client } = world;
  try {
    await world.start();
    await client.create(deploymentKind, deploymentOf(100));
    for (const name of numbered(450, (number) => `object-${number}`)) {
      await client.create(configMapKind, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'one' } });
      await client.create(secretKind, { kind: 'Secret', apiVersion: 'v1', metadata: { name, namespace: 'one' } });
    }
    const kept = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'kept', namespace: 'default' } };
    await client.create(configMapKind, kept);
    await world.pass(2000);
    const pods = (await client.list(podKind, { namespace: 'one' })).items;
    assert.equal(pods.filter(isReady).length, 100);
    await client.delete(namespaceKind, { name: 'one' });
    await world.pass(60_000);
    for (const kind of kinds.filter(({ namespaced }) => namespaced)) {
      assert.deepEqual((await client.list(kind, { namespace: 'one' })).items, [], kind.resource);
    }
    const namespaces = (await client.list(namespaceKind)).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(namespaces, ['default', 'kube-system']);
    await client.get(configMapKind, nameOf(kept));
  } finally {
    await world.close();
  }
});
