import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { deferred } from '../base/deferred.ts';
import type { Client, PodBinding } from '../client/client.ts';
import { InProcessClient } from '../client/in-process-client.ts';
import { node as nodeKind } from '../kinds/core/node.ts';
import { pod as podKind } from '../kinds/core/pod.ts';
import { conflict, forbidden, unreachable, type ApiError } from '../kinds/meta/api-error.ts';
import type { AdmissionPlugin } from '../registry/admission.ts';
import { testNode, testPod } from './testing/objects.ts';
import { openScheduler, type SchedulerFixture } from './testing/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openScheduler();
});
afterEach(() => fixture.close());

async function reopen(options: Parameters<typeof openScheduler>[0]): Promise<void> {
  await fixture.close();
  fixture = await openScheduler(options);
}

describe('a bind', () => {
  const full = { requests: { cpu: '4' } };
  const user = { name: 'scheduler', groups: [] };

  /** Refuses the first binds that are asked for. */
  function refusing(times: number, refusal: ApiError): AdmissionPlugin {
    let left = times;
    return {
      name: 'refusing',
      async mutate({ subresource }) {
        if (subresource === 'binding' && left-- > 0) throw refusal;
      },
    };
  }

  async function reasonsOf(name: string): Promise<(string | undefined)[]> {
    return (await fixture.eventsOf(name)).map(({ reason }) => reason);
  }

  it('that meets a conflict is tried again', async () => {
    await reopen({ admission: [refusing(2, conflict({ resource: 'pods/binding', name: 'web' }, 'others write'))] });
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(testPod('web'));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), '');
    await fixture.pass(5000);
    assert.equal(await fixture.nodeOf('web'), 'n1');
    assert.deepEqual(await reasonsOf('web'), ['Scheduled']);
  });

  it('that is refused is told of, and what was set aside is given to others', async () => {
    await reopen({ admission: [refusing(1, forbidden({ resource: 'pods', name: 'web' }, 'not today'))] });
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(testPod('web', full));
    await fixture.run.settled();
    assert.match((await fixture.eventsOf('web'))[0]?.message ?? '', /could not be bound to node n1: .*not today/);
    await fixture.createPods(testPod('next', full));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('next'), 'n1');
  });

  it('whose answer is lost is looked up, and not made twice', async () => {
    const lost = deferred<void>();
    let binds = 0;
    class LossyClient extends InProcessClient {
      override async bind(binding: PodBinding): Promise<void> {
        await super.bind(binding);
        binds++;
        lost.resolve();
        throw unreachable('the connection broke');
      }
    }
    await reopen({ makeClient: (registry) => new LossyClient({ registry, user }) });
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(testPod('web', full));
    await lost.promise;
    await setImmediate();
    await fixture.pass(10_000);
    assert.equal(await fixture.nodeOf('web'), 'n1');
    assert.equal(binds, 1);
    assert.deepEqual(await reasonsOf('web'), ['Scheduled']);
  });

  /** Something happens just before a bind reaches the server. */
  async function reopenWithRival(before: (client: Client, binding: PodBinding) => Promise<void>): Promise<void> {
    class LateClient extends InProcessClient {
      override async bind(binding: PodBinding): Promise<void> {
        if (binding.pod.name === 'web') await before(fixture.client, binding);
        return super.bind(binding);
      }
    }
    await reopen({ makeClient: (registry) => new LateClient({ registry, user }) });
  }

  it('of a pod that somebody else has bound leaves the pod there, and gives its room to others', async () => {
    await reopenWithRival((client, binding) => client.bind({ ...binding, node: 'n2' }));
    await fixture.createNodes(testNode('n1'), testNode('n2', { unschedulable: true }));
    await fixture.createPods(testPod('web', full));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), 'n2');
    await fixture.createPods(testPod('next', full));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('next'), 'n1');
    await fixture.client.patch(nodeKind, { name: 'n2' }, { merge: { spec: { unschedulable: false } } });
    await fixture.createPods(testPod('last', full));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('last'), '');
  });

  it('of a pod that somebody has deleted gives its room to others', async () => {
    await reopenWithRival((client, { pod }) => client.delete(podKind, pod, { gracePeriodSeconds: 0 }));
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(testPod('web', full));
    await fixture.run.settled();
    await fixture.createPods(testPod('next', full));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('next'), 'n1');
  });

  it('is for the very pod that the node was chosen for, not for a new one of its name', async () => {
    let isReplaced = false;
    await reopenWithRival(async (client, { pod }) => {
      if (isReplaced) return;
      isReplaced = true;
      await client.delete(podKind, pod, { gracePeriodSeconds: 0 });
      await fixture.createPods(testPod('web', { nodeSelector: { disk: 'fast' } }));
    });
    await fixture.createNodes(
      testNode('n1'),
      testNode('n2', { metadata: { labels: { disk: 'fast' } }, allocatable: { cpu: '1', memory: '1Gi', pods: '10' } }),
    );
    await fixture.createPods(testPod('web', full));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), 'n2');
  });

  it('is never one of more than were allowed at the same time', async () => {
    let [now, most] = [0, 0];
    class CountingClient extends InProcessClient {
      override async bind(binding: PodBinding): Promise<void> {
        most = Math.max(most, ++now);
        await setImmediate();
        await super.bind(binding).finally(() => now--);
      }
    }
    await reopen({ parallelBinds: 3, makeClient: (registry) => new CountingClient({ registry, user }) });
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(...Array.from({ length: 20 }, (_, i) => testPod(`p${i}`)));
    await fixture.run.settled();
    const { items } = await fixture.client.list(podKind, { fields: { 'spec.nodeName': 'n1' } });
    assert.equal(items.length, 20);
    assert.equal(most, 3);
  });
});
