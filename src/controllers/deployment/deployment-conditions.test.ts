import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { isActive } from '../../kinds/core/pod/pod-state.ts';
import { replicaSet } from '../../kinds/extensions/replica-set.ts';
import { forbidden } from '../../kinds/meta/api-error.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { DeploymentWorld } from './testing/deployment-world.ts';

/** Refuses replica sets while it is closed. */
class Gate implements AdmissionPlugin {
  readonly name = 'Gate';
  isClosed = false;

  mutate({ operation, kind }: Parameters<NonNullable<AdmissionPlugin['mutate']>>[0]): Promise<void> {
    if (operation !== 'create' || kind !== replicaSet || !this.isClosed) return Promise.resolve();
    return Promise.reject(forbidden({ resource: 'replicasets' }, 'the gate is closed'));
  }
}

describe('the conditions of a deployment', () => {
  let world: DeploymentWorld;
  let gate: Gate;
  beforeEach(async () => {
    gate = new Gate();
    world = await DeploymentWorld.open({ admission: [gate] });
  });
  afterEach(() => world.close());

  /** `True ReplicaSetUpdated`, or nothing where there is no such condition. */
  async function condition(type: string): Promise<string | undefined> {
    const { conditions = [] } = (await world.get()).status ?? {};
    const found = conditions.find((each) => each.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  test('say whether as many pods are available as must be', async () => {
    await world.create({ replicas: 3 });
    assert.equal(await condition('Available'), 'False MinimumReplicasUnavailable');
    await world.ready(2);
    assert.equal(await condition('Available'), 'True MinimumReplicasAvailable');
    const [before] = (await world.get()).status?.conditions ?? [];
    await world.pass(5000);
    await world.ready(1);
    assert.deepEqual((await world.get()).status?.conditions?.[0], before);
    for (const pod of (await world.activePods()).slice(0, 2)) await world.pods.unready(pod);
    await world.settled();
    assert.equal(await condition('Available'), 'False MinimumReplicasUnavailable');
    const [after] = (await world.get()).status?.conditions ?? [];
    assert.equal(after?.lastTransitionTime, '2030-01-01T00:00:05Z');
  });

  test('ask for all pods where all are replaced at once', async () => {
    await world.create({ replicas: 2, strategy: { type: 'Recreate' } });
    assert.equal(await condition('Available'), 'False MinimumReplicasUnavailable');
    await world.ready(1);
    assert.equal(await condition('Available'), 'False MinimumReplicasUnavailable');
    await world.finish();
    assert.equal(await condition('Available'), 'True MinimumReplicasAvailable');
  });

  test('say nothing of progress without a deadline', async () => {
    await world.create({ replicas: 1 });
    assert.equal(await condition('Progressing'), undefined);
  });

  test('say that a rollout goes on, and that it is done', async () => {
    await world.create({ replicas: 2, progressDeadlineSeconds: 60 });
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
    await world.finish();
    assert.equal(await condition('Progressing'), 'True NewReplicaSetAvailable');
    await world.setImage('web:2');
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
    await world.finish();
    assert.equal(await condition('Progressing'), 'True NewReplicaSetAvailable');
  });

  test('say that a rollout has failed when nothing happens for too long, and take it back when something does', async () => {
    await world.create({ replicas: 2, progressDeadlineSeconds: 60 });
    await world.finish();
    await world.setImage('web:broken');
    await world.pass(59_000);
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
    await world.pass(1000);
    assert.equal(await condition('Progressing'), 'False ProgressDeadlineExceeded');
    await world.pass(600_000);
    assert.equal(await condition('Progressing'), 'False ProgressDeadlineExceeded');
    await world.ready(1);
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
    await world.finish();
    assert.equal(await condition('Progressing'), 'True NewReplicaSetAvailable');
  });

  test('a pod that becomes ready puts the deadline off', async () => {
    await world.create({ replicas: 2, progressDeadlineSeconds: 60 });
    await world.pass(40_000);
    await world.ready(1);
    await world.pass(40_000);
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
    await world.pass(20_000);
    assert.equal(await condition('Progressing'), 'False ProgressDeadlineExceeded');
  });

  test('a pod lost after the end is no rollout', async () => {
    await world.create({ replicas: 2, progressDeadlineSeconds: 60 });
    await world.finish();
    const [lost] = (await world.pods.list()).filter(isActive);
    await world.pods.unready(lost!);
    await world.settled();
    await world.pass(600_000);
    assert.equal(await condition('Progressing'), 'True NewReplicaSetAvailable');
  });

  test('a paused deployment has no deadline', async () => {
    await world.create({ replicas: 2, progressDeadlineSeconds: 60 });
    await world.change({ paused: true });
    assert.equal(await condition('Progressing'), 'Unknown DeploymentPaused');
    await world.pass(600_000);
    assert.equal(await condition('Progressing'), 'Unknown DeploymentPaused');
    await world.change({ paused: null });
    assert.equal(await condition('Progressing'), 'Unknown DeploymentResumed');
    await world.pass(60_000);
    assert.equal(await condition('Progressing'), 'False ProgressDeadlineExceeded');
  });

  test('a replica set that is refused is told, and tried again', async () => {
    gate.isClosed = true;
    await world.create({ replicas: 1, progressDeadlineSeconds: 60 });
    assert.equal(await condition('Progressing'), 'False ReplicaSetCreateError');
    assert.equal((await world.events('ReplicaSetCreateError')).length, 1);
    gate.isClosed = false;
    await world.pass(60_000);
    assert.deepEqual(await world.sizes(), { 'web:1': 1 });
    assert.equal(await condition('Progressing'), 'True ReplicaSetUpdated');
  });

  test('a changed minReadySeconds is handed on to the replica set', async () => {
    await world.create({ replicas: 1, minReadySeconds: 5 });
    assert.equal((await world.set('web:1')).spec.minReadySeconds, 5);
    await world.change({ minReadySeconds: 9 });
    assert.equal((await world.set('web:1')).spec.minReadySeconds, 9);
    assert.equal((await world.get()).status?.observedGeneration, (await world.get()).metadata.generation);
  });
});
