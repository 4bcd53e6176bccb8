import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import { configMap, type ConfigMap } from '../../kinds/core/config-map.ts';
import { node } from '../../kinds/core/node.ts';
import { pod, type Pod } from '../../kinds/core/pod.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { secret } from '../../kinds/core/secret.ts';
import { deployment } from '../../kinds/extensions/deployment.ts';
import { replicaSet } from '../../kinds/extensions/replica-set.ts';
import type { Kind } from '../../kinds/kind.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { controllerReference } from '../../kinds/meta/controller-reference.ts';
import type { ApiObject, ObjectMeta, OwnerReference } from '../../kinds/meta/object-meta.ts';
import { runControllers, type ControllerRun } from '../loop/run-controllers.ts';
import { replicationControllers } from '../replication-controller.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { garbageCollection } from './garbage-collection.ts';

describe('garbage collection', () => {
  let fixture: ControllerFixture;
  let client: Client;
  beforeEach(async () => {
    fixture = await openControllers([garbageCollection]);
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  function make<T extends ApiObject>(kind: Kind<T>, name: string, metadata: Partial<ObjectMeta> = {}): Promise<T> {
    const namespace = kind.namespaced ? 'one' : undefined;
    return client.create(kind, { ...kind.example, metadata: { name, namespace, ...metadata } });
  }

  function belongingTo(owner: ApiObject, parts: Partial<OwnerReference> = {}): Partial<ObjectMeta> {
    const { kind, apiVersion, metadata } = owner;
    return { ownerReferences: [{ apiVersion, kind, name: metadata.name!, uid: metadata.uid!, ...parts }] };
  }

  async function isThere(kind: Kind, object: ApiObject): Promise<boolean> {
    try {
      return (await client.get(kind, nameOf(object))).metadata.uid === object.metadata.uid;
    } catch (error) {
      assert.ok(isApiError(error, 404), String(error));
      return false;
    }
  }

  async function runningPod(name: string, owner: ApiObject): Promise<Pod> {
    const made = await make(pod, name, belongingTo(owner, { blockOwnerDeletion: true }));
    await client.bind({ pod: nameOf(made), node: 'n1' });
    return made;
  }

  const remove = async (kind: Kind, object: ApiObject, propagationPolicy?: 'Orphan' | 'Background' | 'Foreground') => {
    await client.delete(kind, nameOf(object), { propagationPolicy });
    await fixture.run.settled();
  };

  test('what belongs to a deleted object follows it, and what belongs to that, and nothing else', async () => {
    const top = await make(deployment, 'top');
    const middle = await make(replicaSet, 'middle', belongingTo(top));
    const bottom = await make(pod, 'bottom', belongingTo(middle));
    const other = await make(pod, 'other');
    await fixture.run.settled();
    assert.ok(await isThere(pod, bottom));
    await remove(deployment, top);
    assert.deepEqual(
      [await isThere(replicaSet, middle), await isThere(pod, bottom), await isThere(pod, other)],
      [false, false, true],
    );
  });

  test('references may name any version that the owner is served in', async () => {
    const owner = await make(deployment, 'top');
    const child = await make(configMap, 'child', belongingTo(owner, { apiVersion: 'apps/v1' }));
    await fixture.run.settled();
    assert.ok(await isThere(configMap, child));
    await remove(deployment, owner);
    assert.equal(await isThere(configMap, child), false);
  });

  test("another object of the owner's name is no owner: the uid counts", async () => {
    const owner = await make(configMap, 'owner');
    const stranger = await make(secret, 'stranger', belongingTo(owner, { uid: 'another' }));
    const own = await make(secret, 'own', belongingTo(owner));
    await fixture.run.settled();
    assert.deepEqual([await isThere(secret, stranger), await isThere(secret, own)], [false, true]);
  });

  test('a wrong place for a uid does not count against those who name the right one', async () => {
    const owner = await make(configMap, 'owner');
    const wrong = await make(secret, 'wrong', belongingTo(owner, { name: 'elsewhere' }));
    const right = await make(secret, 'right', belongingTo(owner));
    await client.patch(secret, nameOf(right), { merge: { metadata: { finalizers: ['example.com/x'] } } });
    await fixture.run.settled();
    assert.deepEqual([await isThere(secret, wrong), await isThere(secret, right)], [false, true]);
  });

  test('owners that cannot be looked up keep what belongs to them', async () => {
    const custom = { apiVersion: 'example.com/v1', kind: 'Boat', name: 'b', uid: 'u' };
    const ofCustom = await make(configMap, 'of-custom', { ownerReferences: [custom] });
    const inNamespace = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u' };
    const ofCluster = await make(node, 'of-cluster', { ownerReferences: [inNamespace] });
    await fixture.run.settled();
    assert.deepEqual([await isThere(configMap, ofCustom), await isThere(node, ofCluster)], [true, true]);
  });

  test('an object with several owners loses those that go, and goes with the last one', async () => {
    const [a, b] = [await make(configMap, 'a'), await make(node, 'b')];
    const references = [a, b].flatMap((owner) => belongingTo(owner).ownerReferences ?? []);
    const shared = await make(secret, 'shared', { ownerReferences: references });
    await remove(configMap, a);
    const left = await client.get(secret, nameOf(shared));
    assert.deepEqual(
      left.metadata.ownerReferences?.map(({ uid }) => uid),
      [b.metadata.uid],
    );
    await remove(node, b);
    assert.equal(await isThere(secret, shared), false);
  });

  test('orphans stay and forget their owner, which then goes', async () => {
    const owner = await make(configMap, 'owner');
    const children = [await make(secret, 'a', belongingTo(owner)), await make(pod, 'b', belongingTo(owner))];
    await remove(configMap, owner, 'Orphan');
    assert.equal(await isThere(configMap, owner), false);
    for (const child of children) {
      const kind: Kind = child.kind === 'Pod' ? pod : secret;
      const { metadata } = await client.get(kind, nameOf(child));
      assert.deepEqual([metadata.uid, metadata.ownerReferences ?? []], [child.metadata.uid, []]);
    }
  });

  test('in the foreground an owner waits for those that block it, through their grace', async () => {
    const owner = await make(replicationController, 'owner');
    const child = await runningPod('child', owner);
    const loose = await make(secret, 'loose', belongingTo(owner));
    await remove(replicationController, owner, 'Foreground');
    assert.ok((await client.get(pod, nameOf(child))).metadata.deletionTimestamp);
    assert.deepEqual([await isThere(replicationController, owner), await isThere(secret, loose)], [true, false]);
    await client.delete(pod, nameOf(child), { gracePeriodSeconds: 0 });
    await fixture.run.settled();
    assert.equal(await isThere(replicationController, owner), false);
  });

  test('in the foreground everything below goes first, level by level', async () => {
    const top = await make(deployment, 'top');
    const middle = await make(replicaSet, 'middle', { ownerReferences: [controllerReference(deployment, top)] });
    const bottom = await runningPod('bottom', middle);
    await remove(deployment, top, 'Foreground');
    assert.deepEqual((await client.get(replicaSet, nameOf(middle))).metadata.finalizers, ['foregroundDeletion']);
    assert.ok(await isThere(deployment, top));
    await client.delete(pod, nameOf(bottom), { gracePeriodSeconds: 0 });
    await fixture.run.settled();
    assert.deepEqual([await isThere(replicaSet, middle), await isThere(deployment, top)], [false, false]);
  });

  test('an owner in the foreground does not wait for what another owner keeps', async () => {
    const [a, b] = [await make(configMap, 'a'), await make(configMap, 'b')];
    const references = [a, b].map((owner) => controllerReference(configMap, owner));
    const ownerReferences = references.map((each, i) => ({ ...each, controller: i === 0 }));
    const shared = await make(secret, 'shared', { ownerReferences });
    await remove(configMap, a, 'Foreground');
    assert.deepEqual([await isThere(configMap, a), await isThere(secret, shared)], [false, true]);
  });

  test('objects that own each other do not wait for each other for good', async () => {
    const a = await make(configMap, 'a');
    const b = await make(configMap, 'b', { ownerReferences: [controllerReference(configMap, a)] });
    const ownerReferences = [controllerReference(configMap, b)];
    await client.patch(configMap, nameOf(a), { merge: { metadata: { ownerReferences } } });
    await remove(configMap, a, 'Foreground');
    await fixture.pass(2000);
    assert.deepEqual([await isThere(configMap, a), await isThere(configMap, b)], [false, false]);
  });

  test('deletion in the foreground leaves finalizers of others alone', async () => {
    const owner = await make(configMap, 'owner', { finalizers: ['example.com/x'] });
    await remove(configMap, owner, 'Foreground');
    const { metadata }: ConfigMap = await client.get(configMap, nameOf(owner));
    assert.deepEqual(metadata.finalizers, ['example.com/x']);
  });

  test('what was left over before the start is collected, and the rest is not written to', async () => {
    const owner = await make(configMap, 'owner');
    const kept = await make(secret, 'kept', belongingTo(owner));
    await fixture.run.close();
    const left = await make(secret, 'left', belongingTo(owner, { name: 'gone', uid: 'gone' }));
    const again = await openAgain();
    assert.deepEqual([await isThere(secret, left), await isThere(secret, kept)], [false, true]);
    const revision = await fixture.storage.revision();
    fixture.clock.step(60_000);
    await again.settled();
    assert.equal(await fixture.storage.revision(), revision);
    await again.close();
  });

  async function openAgain(): Promise<ControllerRun> {
    const run = runControllers([garbageCollection], fixture);
    await run.settled();
    return run;
  }

  test('hundreds of dependents go with one owner', async () => {
    const owner = await make(configMap, 'owner');
    for (let i = 0; i < 300; i++) await make(secret, `s${i}`, belongingTo(owner));
    await remove(configMap, owner);
    assert.deepEqual((await client.list(secret)).items, []);
  });
});

test('the pods of a deleted replication controller go with it', async (t) => {
  const fixture = await openControllers([garbageCollection, replicationControllers]);
  t.after(() => fixture.close());
  const { client, run } = fixture;
  const { metadata, spec, ...rest } = replicationController.example;
  const web = { namespace: 'one', name: 'web' };
  await client.create(replicationController, {
    ...rest,
    metadata: { ...metadata, ...web },
    spec: { ...spec, replicas: 5 },
  });
  await run.settled();
  assert.equal((await client.list(pod)).items.length, 5);
  await client.delete(replicationController, web, { propagationPolicy: 'Background' });
  await run.settled();
  assert.equal((await client.list(pod)).items.length, 0);
});
