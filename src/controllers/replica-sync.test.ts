import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Client } from '../client/client.ts';
import { changeObject } from '../client/change-object.ts';
import { nameOf } from '../client/object-name.ts';
import { event } from '../kinds/core/event.ts';
import { pod, type Pod } from '../kinds/core/pod.ts';
import type { PodTemplateSpec } from '../kinds/core/pod-template-spec.ts';
import { replicationController } from '../kinds/core/replication-controller.ts';
import { replicaSet } from '../kinds/extensions/replica-set.ts';
import type { Kind } from '../kinds/kind.ts';
import { forbidden, type ApiError } from '../kinds/meta/api-error.ts';
import { controllerOf } from '../kinds/meta/controller-reference.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { AdmissionPlugin } from '../registry/admission.ts';
import type { Controller } from './loop/controller.ts';
import { replicaSets } from './replica-set.ts';
import { replicationControllers } from './replication-controller.ts';
import { openControllers, type ControllerFixture } from './testing/controller-fixture.ts';

interface Replicated extends ApiObject {
  spec: { replicas?: number; template?: PodTemplateSpec };
  status?: { replicas: number; fullyLabeledReplicas?: number; readyReplicas?: number; observedGeneration?: number };
}

interface Make {
  readonly controller: Controller;
  readonly kind: Kind<Replicated>;
  readonly selector: object;
}

const makes: readonly Make[] = [
  {
    controller: replicationControllers,
    kind: replicationController,
    selector: { app: 'web' },
  },
  {
    controller: replicaSets,
    kind: replicaSet,
    selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] },
  },
];

/** A quota of pods, as an admission plugin would hold it. */
class PodLimit implements AdmissionPlugin {
  readonly name = 'PodLimit';
  most = Infinity;
  attempts = 0;
  onAttempt: (attempt: number) => void = () => {};

  mutate({ operation, kind }: Parameters<NonNullable<AdmissionPlugin['mutate']>>[0]): Promise<void> {
    if (operation !== 'create' || kind !== pod) return Promise.resolve();
    this.onAttempt(++this.attempts);
    if (this.attempts <= this.most) return Promise.resolve();
    return Promise.reject(forbidden({ resource: 'pods' }, 'the quota is used up'));
  }
}

const web = { namespace: 'one', name: 'web' };
const template: PodTemplateSpec = {
  metadata: { labels: { app: 'web', tier: 'front' }, annotations: { team: 'blue' } },
  spec: { containers: [{ name: 'web', image: 'nginx:1.9' }] },
};

for (const { controller, kind, selector } of makes) {
  describe(controller.name, () => {
    let fixture: ControllerFixture;
    let client: Client;
    let limit: PodLimit;
    beforeEach(async () => {
      limit = new PodLimit();
      fixture = await openControllers([controller], { admission: [limit] });
      ({ client } = fixture);
    });
    afterEach(() => fixture.close());

    async function create(replicas: number): Promise<Replicated> {
      const metadata = { ...web };
      const spec = { replicas, selector, template };
      const created = await client.create(kind, { kind: '', apiVersion: '', metadata, spec });
      await fixture.run.settled();
      return created;
    }

    async function pods(): Promise<Pod[]> {
      return (await client.list(pod, { namespace: 'one' })).items;
    }

    async function scale(replicas: number): Promise<void> {
      await client.patch(kind, web, { merge: { spec: { replicas } } });
      await fixture.run.settled();
    }

    async function report(which: Pod, status: Pod['status']): Promise<void> {
      const name = nameOf(which);
      await changeObject(client, { kind: pod, name, part: 'status', change: (one) => void (one.status = status) });
      await fixture.run.settled();
    }

    async function reasons(): Promise<string[]> {
      const { items } = await client.list(event, { namespace: 'one' });
      return items.map(({ reason = '', count = 0 }) => `${reason} ${count}`).sort();
    }

    function orphan(name: string, labels: Record<string, string>): Pod {
      const metadata = { name, namespace: 'one', labels };
      return { kind: 'Pod', apiVersion: 'v1', metadata, spec: template.spec, status: {} };
    }

    test('makes the pods that are asked for, from the template and in its own name', async () => {
      const owner = await create(3);
      const made = await pods();
      assert.equal(made.length, 3);
      for (const { metadata, spec } of made) {
        assert.match(metadata.name ?? '', /^web-[a-z0-9]{5}$/);
        assert.deepEqual(metadata.labels, { app: 'web', tier: 'front' });
        assert.equal(metadata.annotations?.team, 'blue');
        const createdBy = JSON.parse(metadata.annotations?.['kubernetes.io/created-by'] ?? '{}') as {
          reference?: { uid?: string };
        };
        assert.equal(createdBy.reference?.uid, owner.metadata.uid);
        assert.deepEqual(metadata.ownerReferences, [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: 'web',
            uid: owner.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ]);
        assert.equal(spec.containers[0]?.image, 'nginx:1.9');
      }
      assert.deepEqual(await reasons(), ['SuccessfulCreate 1', 'SuccessfulCreate 1', 'SuccessfulCreate 1']);
    });

    test('makes nothing more once it is to stop, and tells nobody that this failed', async () => {
      limit.onAttempt = (attempt) => {
        if (attempt === 10) void fixture.run.close();
      };
      await create(100);
      await fixture.run.close();
      assert.equal((await pods()).length, 10);
      const { items } = await client.list(event, { namespace: 'one' });
      assert.deepEqual(
        items.filter(({ type }) => type !== 'Normal'),
        [],
      );
    });

    test('tells in its status what there is, and for which generation', async () => {
      await create(2);
      await scale(3);
      const { status, metadata } = await client.get(kind, web);
      assert.deepEqual(status, { replicas: 3, fullyLabeledReplicas: 3, observedGeneration: metadata.generation });
      const [first] = await pods();
      await client.patch(pod, nameOf(first!), { merge: { metadata: { labels: { tier: null } } } });
      await fixture.run.settled();
      assert.equal((await client.get(kind, web)).status?.fullyLabeledReplicas, 2);
    });

    test('counts the pods that are ready', async () => {
      await create(2);
      const [first] = await pods();
      await report(first!, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
      await fixture.run.settled();
      assert.equal((await client.get(kind, web)).status?.readyReplicas, 1);
    });

    test('writes nothing when all is as it should be', async () => {
      await create(2);
      const before = await fixture.storage.revision();
      await fixture.pass(60_000);
      assert.equal(await fixture.storage.revision(), before);
    });

    test('makes up for pods that are deleted or have ended', async () => {
      await create(3);
      const [deleted, failed, succeeded] = await pods();
      await client.delete(pod, nameOf(deleted!));
      await report(failed!, { phase: 'Failed' });
      await report(succeeded!, { phase: 'Succeeded' });
      const phases = (await pods()).map(({ status }) => status.phase ?? '').sort();
      assert.deepEqual(phases, ['Failed', 'Pending', 'Pending', 'Pending', 'Succeeded']);
      assert.equal((await client.get(kind, web)).status?.replicas, 3);
    });

    test('makes up for a pod as soon as it is on its way out', async () => {
      await create(1);
      const [leaving] = await pods();
      await client.bind({ pod: nameOf(leaving!), node: 'n1' });
      await client.delete(pod, nameOf(leaving!), { gracePeriodSeconds: 30 });
      await fixture.run.settled();
      assert.equal((await pods()).length, 2);
    });

    test('deletes first what is missed least', async () => {
      await create(5);
      const [ready, running, pendingOnNode, unscheduled, old] = await pods();
      const time = '2030-01-01T00:00:00Z';
      const condition = { type: 'Ready', status: 'True', lastTransitionTime: time };
      for (const each of [ready, running, pendingOnNode, old]) {
        await client.bind({ pod: nameOf(each!), node: 'n1' });
      }
      await report(ready!, {
        phase: 'Running',
        conditions: [{ ...condition, lastTransitionTime: '2030-01-01T00:00:09Z' }],
      });
      await report(old!, { phase: 'Running', conditions: [condition] });
      await report(running!, { phase: 'Running' });
      const order: Pod[] = [unscheduled!, pendingOnNode!, running!, ready!];
      for (const [i, next] of order.entries()) {
        await scale(4 - i);
        const left = (await pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        assert.equal(left.length, 4 - i);
        assert.ok(!left.some(({ metadata }) => metadata.uid === next.metadata.uid), `step ${i}`);
      }
      assert.equal((await reasons()).filter((reason) => reason.startsWith('SuccessfulDelete')).length, 4);
    });

    test('adopts a matching pod that nobody controls instead of making one', async () => {
      await client.create(pod, orphan('found', { app: 'web' }));
      await client.create(pod, orphan('other', { app: 'db' }));
      const owner = await create(1);
      const [found, other, ...more] = await pods();
      assert.deepEqual(more, []);
      assert.equal(controllerOf(found!)?.uid, owner.metadata.uid);
      assert.equal(controllerOf(other!), undefined);
    });

    test('adopts a pod that comes later, and then has one too many', async () => {
      await create(1);
      await client.create(pod, orphan('late', { app: 'web' }));
      await fixture.run.settled();
      assert.equal((await pods()).length, 1);
    });

    test('lets go of a pod that it no longer selects, and makes another', async () => {
      await create(1);
      const [first] = await pods();
      await client.patch(pod, nameOf(first!), { merge: { metadata: { labels: { app: 'debugged' } } } });
      await fixture.run.settled();
      assert.equal((await pods()).length, 2);
      assert.equal(controllerOf(await client.get(pod, nameOf(first!))), undefined);
    });

    test('leaves pods of another controller alone', async () => {
      const reference = { apiVersion: 'v1', kind: 'ReplicationController', name: 'x', uid: 'u', controller: true };
      const taken = orphan('taken', { app: 'web' });
      await client.create(pod, { ...taken, metadata: { ...taken.metadata, ownerReferences: [reference] } });
      await create(1);
      assert.equal((await pods()).length, 2);
      assert.equal(controllerOf(await client.get(pod, { namespace: 'one', name: 'taken' }))?.uid, 'u');
    });

    test('a refused pod is told in an event, and tried again later each time, few at a time', async () => {
      limit.most = 1;
      await create(40);
      assert.deepEqual((await pods()).length, 1);
      assert.ok(limit.attempts <= 6, `${limit.attempts} attempts`);
      await fixture.pass(2000);
      const failed = (await reasons()).find((reason) => reason.startsWith('FailedCreate'));
      assert.match(failed ?? '', /^FailedCreate \d+$/);
      assert.ok(limit.attempts < 25, `${limit.attempts} attempts`);
      limit.most = Infinity;
      await fixture.pass(60_000);
      assert.equal((await pods()).length, 40);
      assert.equal((await client.get(kind, web)).status?.replicas, 40);
    });

    test('many pods are made and deleted without one too many in between', async () => {
      await create(120);
      assert.equal((await pods()).length, 120);
      assert.equal(limit.attempts, 120);
      await scale(0);
      assert.equal((await pods()).length, 0);
    });

    test('pods of a deleted owner are left to whoever collects them', async () => {
      await create(2);
      await client.delete(kind, web);
      await fixture.run.settled();
      assert.equal((await pods()).length, 2);
      await assert.rejects(client.get(kind, web), (error: ApiError) => error.code === 404);
    });
  });
}
