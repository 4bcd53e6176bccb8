import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { deployment } from '../../kinds/extensions/deployment.ts';
import { replicaSet } from '../../kinds/extensions/replica-set.ts';
import { controllerOf } from '../../kinds/meta/controller-reference.ts';
import { newReplicaSet } from './new-replica-set.ts';
import { DeploymentWorld, web, type SpecPatch } from './testing/deployment-world.ts';

const revision = 'deployment.kubernetes.io/revision';

function rolling(maxSurge: number | string, maxUnavailable: number | string): SpecPatch {
  return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } };
}

describe('a deployment', () => {
  let world: DeploymentWorld;
  beforeEach(async () => {
    world = await DeploymentWorld.open();
  });
  afterEach(() => world.close());

  test('makes a replica set of its own, whose pods are told by a hash of the template', async () => {
    const owner = await world.create({ replicas: 2 }, 'web:1', { 'kubernetes.io/change-cause': 'first' });
    const [set, ...more] = await world.sets();
    assert.deepEqual(more, []);
    const hash = set!.metadata.labels?.['pod-template-hash'];
    assert.match(hash ?? '', /^\d+$/);
    assert.equal(set!.metadata.name, `web-${hash}`);
    assert.deepEqual(set!.spec.selector, { matchLabels: { app: 'web', 'pod-template-hash': hash } });
    assert.deepEqual(set!.spec.template.metadata.labels, { app: 'web', 'pod-template-hash': hash });
    assert.equal(controllerOf(set!)?.uid, owner.metadata.uid);
    const pods = await world.activePods();
    assert.deepEqual(
      pods.map(({ metadata }) => metadata.labels?.['pod-template-hash']),
      [hash, hash],
    );
    assert.equal(set!.metadata.annotations?.[revision], '1');
    assert.equal(set!.metadata.annotations?.['kubernetes.io/change-cause'], 'first');
    assert.equal((await world.get()).metadata.annotations?.[revision], '1');
    assert.deepEqual(await world.events('ScalingReplicaSet'), [`Scaled up replica set web-${hash} to 2`]);
  });

  test('tells in its status how many pods there are, are new, and are available', async () => {
    await world.create({ replicas: 3 });
    await world.ready(2);
    const { status, metadata } = await world.get();
    const { conditions: _conditions, ...counts } = status!;
    assert.deepEqual(counts, {
      observedGeneration: metadata.generation,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 1,
    });
  });

  test('replaces pods step by step, within surge and availability', async () => {
    await world.create({ replicas: 4, ...rolling(1, 1) });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 3, 'web:2': 1 + 1 });
    const { conditions: _conditions, ...counts } = (await world.get()).status!;
    assert.deepEqual(counts, {
      observedGeneration: (await world.get()).metadata.generation,
      replicas: 5,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 2,
    });
    await world.ready(1);
    assert.deepEqual(await world.sizes(), { 'web:1': 2, 'web:2': 3 });
    await world.ready(1);
    assert.deepEqual(await world.sizes(), { 'web:1': 1, 'web:2': 4 });
    await world.ready(1);
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 4 });
    await world.finish();
    const { status } = await world.get();
    assert.deepEqual([status?.replicas, status?.updatedReplicas, status?.availableReplicas], [4, 4, 4]);
    assert.equal(status?.unavailableReplicas ?? 0, 0);
    assert.equal((await world.set('web:2')).metadata.annotations?.[revision], '2');
    assert.equal((await world.get()).metadata.annotations?.[revision], '2');
    const names = [await world.set('web:1'), await world.set('web:2')].map(({ metadata }) => metadata.name);
    const told = await world.events('ScalingReplicaSet');
    assert.ok(told.includes(`Scaled down replica set ${names[0]} to 0`), told.join('; '));
    assert.ok(told.includes(`Scaled up replica set ${names[1]} to 4`), told.join('; '));
  });

  test('without unavailable pods, nothing goes before its successor is ready', async () => {
    await world.create({ replicas: 2, ...rolling(1, 0) });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 2, 'web:2': 1 });
    await world.ready(1);
    assert.deepEqual(await world.sizes(), { 'web:1': 1, 'web:2': 2 });
  });

  test('without a surge, a pod goes before its successor comes', async () => {
    await world.create({ replicas: 2, ...rolling(0, 1) });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 1, 'web:2': 1 });
    assert.equal((await world.activePods()).length, 2);
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 2 });
  });

  test('percentages round the surge up and the missing pods down', async () => {
    await world.create({ replicas: 10, ...rolling('25%', '25%') });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 8, 'web:2': 5 });
  });

  test('percentages that come to nothing still let one pod be replaced', async () => {
    await world.create({ replicas: 2, ...rolling(0, '10%') });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 1, 'web:2': 1 });
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 2 });
  });

  test('a version that never becomes ready stalls within the bounds, and the next one replaces it', async () => {
    await world.create({ replicas: 5, ...rolling(2, 1) });
    await world.finish();
    await world.setImage('web:broken');
    await world.pass(3_600_000);
    assert.deepEqual(await world.sizes(), { 'web:1': 4, 'web:broken': 3 });
    assert.equal((await world.get()).status?.availableReplicas, 4);
    await world.setImage('web:3');
    await world.finish('web:3');
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:3': 5, 'web:broken': 0 });
  });

  test('a new pod counts only after minReadySeconds', async () => {
    await world.create({ replicas: 2, minReadySeconds: 30, ...rolling(1, 0) });
    await world.finish();
    assert.equal((await world.get()).status?.availableReplicas ?? 0, 0);
    await world.pass(30_000);
    assert.equal((await world.get()).status?.availableReplicas, 2);
    await world.setImage('web:2');
    await world.ready(1);
    await world.pass(29_000);
    assert.deepEqual(await world.sizes(), { 'web:1': 2, 'web:2': 1 });
    await world.pass(1000);
    assert.deepEqual(await world.sizes(), { 'web:1': 1, 'web:2': 2 });
  });

  test('Recreate waits until the last old pod is gone', async () => {
    await world.create({ replicas: 2, strategy: { type: 'Recreate' } });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 0 });
    assert.equal((await world.pods.list()).length, 2);
    await world.pods.reap();
    await world.settled();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 2 });
    await world.scale(3);
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 3 });
  });

  test('a paused deployment waits with a new template, and scales all the same', async () => {
    await world.create({ replicas: 2, ...rolling(1, 1) });
    await world.finish();
    await world.change({ paused: true });
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 2 });
    await world.scale(4);
    assert.deepEqual(await world.sizes(), { 'web:1': 4 });
    assert.equal((await world.get()).status?.updatedReplicas ?? 0, 0);
    await world.change({ paused: null });
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 4 });
  });

  test('a rollout that is paused half-way stays where it is', async () => {
    await world.create({ replicas: 4, ...rolling(1, 1) });
    await world.finish();
    await world.setImage('web:2');
    await world.change({ paused: true });
    const before = await world.sizes();
    await world.finish();
    assert.deepEqual(await world.sizes(), before);
    await world.change({ paused: null });
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 4 });
  });

  test('a deployment that is made paused has no replica set until it is resumed', async () => {
    await world.create({ replicas: 2, paused: true });
    assert.deepEqual(await world.sizes(), {});
    await world.change({ paused: null });
    assert.deepEqual(await world.sizes(), { 'web:1': 2 });
  });

  test('scaling in the middle of a rollout is shared in proportion', async () => {
    await world.create({ replicas: 10, ...rolling(3, 2) });
    await world.finish();
    await world.setImage('web:2');
    assert.deepEqual(await world.sizes(), { 'web:1': 8, 'web:2': 5 });
    await world.scale(20);
    // 23 pods may be there: 8/13 and 5/13 of them.
    const sizes = await world.sizes();
    assert.deepEqual(sizes, { 'web:1': 14, 'web:2': 9 });
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 20 });
  });

  test('scaling down in the middle of a rollout keeps enough pods available', async () => {
    await world.create({ replicas: 10, ...rolling(3, 2) });
    await world.finish();
    await world.setImage('web:2');
    await world.scale(3);
    const { status } = await world.get();
    assert.ok((status?.availableReplicas ?? 0) >= 1);
    assert.ok((status?.replicas ?? 0) <= 6);
    await world.scale(0);
    assert.equal((await world.activePods()).length, 0);
    await world.scale(2);
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 2 });
  });

  test('a template changed again half-way leaves the one in between', async () => {
    await world.create({ replicas: 4, ...rolling(2, 1) });
    await world.finish();
    await world.setImage('web:2');
    await world.ready(1);
    await world.setImage('web:3');
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 0, 'web:3': 4 });
  });

  test('takes up a replica set of the same template that nobody controls', async () => {
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: deployment.example.spec.template };
    const metadata = { name: 'found', namespace: 'one', labels: { app: 'web' } };
    await world.client.create(replicaSet, { kind: '', apiVersion: '', metadata, spec });
    const owner = await world.create({ replicas: 3 }, 'nginx:1.9');
    const [set, ...more] = await world.sets();
    assert.deepEqual(more, []);
    assert.equal(set!.metadata.name, 'found');
    assert.equal(set!.spec.replicas, 3);
    assert.equal(controllerOf(set!)?.uid, owner.metadata.uid);
    await world.finish();
    await world.setImage('web:2');
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'nginx:1.9': 0, 'web:2': 3 });
  });

  test('a name that another replica set has is avoided', async () => {
    await world.run.close();
    const owner = await world.client.create(deployment, {
      kind: '',
      apiVersion: '',
      metadata: { ...web },
      spec: { ...deployment.example.spec, replicas: 1 },
    });
    const wanted = newReplicaSet(owner, { replicas: 0, annotations: {}, attempt: 0 });
    const labels = { app: 'other' };
    const template = { ...wanted.spec.template, metadata: { labels } };
    const foreign = { name: wanted.metadata.name, namespace: 'one', labels };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template };
    await world.client.create(replicaSet, { kind: '', apiVersion: '', metadata: foreign, spec });
    world.start();
    await world.settled();
    const names = (await world.sets()).map(({ metadata }) => metadata.name);
    assert.equal(names.length, 2);
    const own = newReplicaSet(owner, { replicas: 0, annotations: {}, attempt: 1 });
    assert.ok(names.includes(own.metadata.name));
    assert.equal((await world.activePods()).length, 1);
  });

  test('old replica sets beyond the history limit are removed, the oldest first', async () => {
    await world.create({ replicas: 1, revisionHistoryLimit: 2 });
    await world.finish();
    for (const image of ['web:2', 'web:3', 'web:4', 'web:5']) {
      await world.setImage(image);
      await world.finish();
    }
    assert.deepEqual(await world.sizes(), { 'web:3': 0, 'web:4': 0, 'web:5': 1 });
    await world.change({ revisionHistoryLimit: 0 });
    assert.deepEqual(await world.sizes(), { 'web:5': 1 });
  });

  test('a changed change-cause is handed on; annotations of tools are not', async () => {
    await world.create({ replicas: 1 });
    await world.change(
      {},
      { 'kubernetes.io/change-cause': 'second', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    );
    const { annotations } = (await world.set('web:1')).metadata;
    assert.equal(annotations?.['kubernetes.io/change-cause'], 'second');
    assert.equal(annotations?.['kubectl.kubernetes.io/last-applied-configuration'], undefined);
  });

  test('pods of a lost node are made up for without ending the rollout', async () => {
    await world.create({ replicas: 3, ...rolling(1, 1) });
    await world.finish();
    await world.setImage('web:2');
    for (const lost of await world.activePods('web:1')) await world.pods.finish(lost, 'Failed');
    await world.settled();
    await world.finish();
    assert.deepEqual(await world.sizes(), { 'web:1': 0, 'web:2': 3 });
  });
});
