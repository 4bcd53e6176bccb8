import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { node as nodeKind } from '../kinds/core/node.ts';
import { persistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts';
import { persistentVolume } from '../kinds/core/persistent-volume.ts';
import { regionLabel, zoneLabel } from './node-state.ts';
import { testNode, testPod } from './testing/objects.ts';
import { openScheduler, type SchedulerFixture } from './testing/scheduler-fixture.ts';

describe('a pod with a claim', () => {
  let fixture: SchedulerFixture;
  beforeEach(async () => {
    fixture = await openScheduler();
    await fixture.createNodes(testNode('n1'));
  });
  afterEach(() => fixture.close());

  const data = { namespace: 'one', name: 'data' };

  async function createPod(): Promise<void> {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    await fixture.createPods(testPod('web', { volumes }));
    await fixture.run.settled();
  }

  async function createClaim(volumeName?: string): Promise<void> {
    const { example } = persistentVolumeClaim;
    const spec = { ...example.spec, volumeName };
    await fixture.client.create(persistentVolumeClaim, { ...example, metadata: { ...data }, spec });
  }

  async function createVolume(labels?: Record<string, string>): Promise<void> {
    const { example } = persistentVolume;
    await fixture.client.create(persistentVolume, { ...example, metadata: { name: 'disk', labels } });
  }

  async function problem(): Promise<string | undefined> {
    const told = await fixture.eventsOf('web');
    return told.findLast(({ reason }) => reason === 'FailedScheduling')?.message;
  }

  it('waits for the claim, for its volume, and goes to a node then', async () => {
    await createPod();
    assert.equal(await problem(), 'there is no PersistentVolumeClaim "data"');
    await createClaim();
    await fixture.pass(2000);
    assert.equal(await problem(), 'PersistentVolumeClaim "data" is not bound to a volume yet');
    await fixture.client.patch(persistentVolumeClaim, data, { merge: { spec: { volumeName: 'disk' } } });
    await fixture.pass(2000);
    assert.equal(await problem(), 'PersistentVolume "disk" of PersistentVolumeClaim "data" is not there');
    assert.equal(await fixture.nodeOf('web'), '');
    await createVolume();
    await fixture.pass(2000);
    assert.equal(await fixture.nodeOf('web'), 'n1');
  });

  it('goes where its volume is', async () => {
    await fixture.client.patch(nodeKind, { name: 'n1' }, { merge: { metadata: { labels: place('a') } } });
    await fixture.createNodes(testNode('n2', { metadata: { labels: place('b') } }));
    await createVolume(place('b'));
    await createClaim('disk');
    await createPod();
    assert.equal(await fixture.nodeOf('web'), 'n2');
  });

  it('waits while its volume is elsewhere', async () => {
    await fixture.client.delete(nodeKind, { name: 'n1' });
    await fixture.createNodes(testNode('n2', { metadata: { labels: place('a') } }));
    await createVolume(place('b'));
    await createClaim('disk');
    await createPod();
    assert.equal(await problem(), '0 of 1 nodes can take the pod: 1 in another zone than a volume');
    await fixture.client.patch(persistentVolume, { name: 'disk' }, { merge: { metadata: { labels: place('a') } } });
    await fixture.pass(2000);
    assert.equal(await fixture.nodeOf('web'), 'n2');
  });

  it('goes to nodes that do not say where they are, too', async () => {
    await createVolume(place('b'));
    await createClaim('disk');
    await createPod();
    assert.equal(await fixture.nodeOf('web'), 'n1');
  });
});

function place(zone: string): Record<string, string> {
  return { [regionLabel]: 'here', [zoneLabel]: zone };
}
