import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import { LaggingClient } from '../../client/testing/lagging-client.ts';
import { event } from '../../kinds/core/event.ts';
import {
  persistentVolumeClaim as claimKind,
  type PersistentVolumeClaim,
} from '../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume as volumeKind, type PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { runControllers } from '../loop/run-controllers.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import type { VolumeAction } from './reclaim.ts';
import { volumeBinder } from './volume-binder.ts';

const completed = 'pv.kubernetes.io/bind-completed';
const byController = 'pv.kubernetes.io/bound-by-controller';
const data = { namespace: 'one', name: 'data' };

describe('the volume binder', () => {
  let fixture: ControllerFixture;
  let client: Client;
  let recycle: VolumeAction;
  let deleteVolume: VolumeAction;
  const binder = volumeBinder({
    recycle: (volume) => recycle(volume),
    deleteVolume: (volume) => deleteVolume(volume),
  });
  beforeEach(async () => {
    recycle = deleteVolume = async () => {};
    fixture = await openControllers([binder]);
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  type VolumeSpec = NonNullable<PersistentVolume['spec']>;
  async function makeVolume(name: string, storage: string, spec: Partial<VolumeSpec> = {}): Promise<PersistentVolume> {
    const made = await client.create(volumeKind, {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name },
      spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
    });
    await fixture.run.settled();
    return made;
  }

  type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;
  async function makeClaim(
    storage: string,
    spec: Partial<ClaimSpec> = {},
    name = 'data',
  ): Promise<PersistentVolumeClaim> {
    const resources = { requests: { storage } };
    const made = await client.create(claimKind, {
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { namespace: 'one', name },
      spec: { accessModes: ['ReadWriteOnce'], resources, ...spec },
    });
    await fixture.run.settled();
    return made;
  }

  const getVolume = (name: string): Promise<PersistentVolume> => client.get(volumeKind, { name });
  const getClaim = (name = 'data'): Promise<PersistentVolumeClaim> => client.get(claimKind, { ...data, name });
  const phase = async (name: string): Promise<string | undefined> => (await getVolume(name)).status?.phase;
  const volumeOf = async (name = 'data'): Promise<string | undefined> => (await getClaim(name)).spec?.volumeName;

  async function deleteClaim(name = 'data'): Promise<void> {
    await client.delete(claimKind, { ...data, name });
    await fixture.run.settled();
  }

  async function reasons(name: string): Promise<string[]> {
    const { items } = await client.list(event, { fields: { 'involvedObject.name': name } });
    return items.map(({ reason = '' }) => reason);
  }

  test('a claim and a volume that fits are bound to each other', async () => {
    const { metadata: volumeMetadata } = await makeVolume('disk', '2Gi', {
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
    });
    assert.equal(await phase('disk'), 'Available');
    const { metadata } = await makeClaim('1Gi');
    const [volume, claim] = [await getVolume('disk'), await getClaim()];
    assert.equal(volume.metadata.uid, volumeMetadata.uid);
    const { resourceVersion, ...reference } = volume.spec?.claimRef ?? {};
    assert.deepEqual(reference, { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...data, uid: metadata.uid });
    assert.ok(resourceVersion);
    assert.deepEqual(volume.metadata.annotations, { [byController]: 'yes' });
    assert.deepEqual(volume.status, { phase: 'Bound' });
    assert.equal(claim.spec?.volumeName, 'disk');
    assert.deepEqual(claim.metadata.annotations, { [completed]: 'yes', [byController]: 'yes' });
    assert.deepEqual(claim.status, {
      phase: 'Bound',
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
      capacity: { storage: '2Gi' },
    });
  });

  test('the smallest volume that is large enough is taken, and none with more ways to mount than needed', async () => {
    await makeVolume('small', '1Gi');
    await makeVolume('large', '10Gi');
    await makeVolume('medium', '5Gi');
    await makeVolume('shared', '3Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] });
    await makeClaim('2Gi');
    assert.equal(await volumeOf(), 'medium');
    await makeClaim('2Gi', { accessModes: ['ReadWriteMany'] }, 'many');
    assert.equal(await volumeOf('many'), 'shared');
  });

  test('a claim waits until a volume comes that fits', async () => {
    await makeVolume('small', '1Gi');
    await makeVolume('read-only', '9Gi', { accessModes: ['ReadOnlyMany'] });
    await makeClaim('2Gi');
    assert.equal((await getClaim()).status?.phase, 'Pending');
    assert.deepEqual(await reasons('data'), ['FailedBinding']);
    await makeVolume('fits', '2Gi');
    assert.deepEqual([await volumeOf(), await phase('small')], ['fits', 'Available']);
  });

  test('many claims get one volume each', async () => {
    for (let i = 0; i < 20; i++) await makeVolume(`v${i}`, '1Gi');
    await Promise.all(Array.from({ length: 25 }, (_, i) => makeClaim('1Gi', {}, `c${i}`)));
    await fixture.pass(5000);
    const { items } = await client.list(claimKind);
    const names = items.flatMap(({ spec }) => spec?.volumeName ?? []);
    assert.deepEqual([names.length, new Set(names).size], [20, 20]);
    for (const { spec, metadata } of (await client.list(volumeKind)).items) {
      const claim = items.find(({ metadata: { uid } }) => uid === spec?.claimRef?.uid);
      assert.equal(claim?.spec?.volumeName, metadata.name);
    }
  });

  test('a claim that names its volume gets that one or none', async () => {
    await makeVolume('other', '1Gi');
    await makeClaim('1Gi', { volumeName: 'mine' });
    assert.equal((await getClaim()).status?.phase, 'Pending');
    await makeVolume('mine', '5Gi');
    const claim = await getClaim();
    assert.equal(claim.status?.phase, 'Bound');
    assert.deepEqual(claim.metadata.annotations, { [completed]: 'yes' });
    assert.equal(await phase('other'), 'Available');
  });

  test("a claim that names a volume which does not fit, or is another's, stays pending", async () => {
    await makeVolume('small', '1Gi');
    await makeClaim('2Gi', { volumeName: 'small' });
    await makeClaim('1Gi', {}, 'first');
    await makeClaim('1Gi', { volumeName: 'small' }, 'second');
    assert.equal(await volumeOf('first'), 'small');
    assert.deepEqual(
      [(await getClaim()).status?.phase, (await getClaim('second')).status?.phase],
      ['Pending', 'Pending'],
    );
  });

  test('a volume that is kept for a claim goes to that claim only, even if others fit better', async () => {
    const claimRef = { namespace: 'one', name: 'wanted' };
    await makeVolume('kept', '50Gi', { claimRef });
    assert.equal(await phase('kept'), 'Available');
    await makeClaim('1Gi');
    assert.equal(await volumeOf(), undefined);
    await makeVolume('free', '1Gi', { accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] });
    assert.equal(await volumeOf(), 'free');
    await makeVolume('better', '1Gi');
    const { metadata } = await makeClaim('1Gi', {}, 'wanted');
    assert.equal(await volumeOf('wanted'), 'kept');
    const volume = await getVolume('kept');
    assert.equal(volume.spec?.claimRef?.uid, metadata.uid);
    assert.equal(volume.metadata.annotations, undefined);
  });

  test('a claim whose volume goes is lost', async () => {
    await makeVolume('disk', '1Gi');
    await makeClaim('1Gi');
    await client.delete(volumeKind, { name: 'disk' });
    await fixture.run.settled();
    assert.deepEqual((await getClaim()).status, { phase: 'Lost' });
    assert.deepEqual(await reasons('data'), ['ClaimLost']);
    await makeVolume('another', '1Gi');
    assert.equal((await getClaim()).spec?.volumeName, 'disk');
  });

  test('a volume whose claim goes is released and kept, and no new claim of that name gets it', async () => {
    await makeVolume('disk', '1Gi');
    await makeClaim('1Gi');
    await deleteClaim();
    assert.equal(await phase('disk'), 'Released');
    await makeClaim('1Gi');
    assert.equal(await volumeOf(), undefined);
    await client.patch(volumeKind, { name: 'disk' }, { merge: { spec: { claimRef: null } } });
    await fixture.run.settled();
    assert.equal(await volumeOf(), 'disk');
  });

  test('a recycled volume is emptied and free again', async () => {
    const emptied: unknown[] = [];
    recycle = async ({ metadata }) => void emptied.push(metadata.name);
    await makeVolume('disk', '1Gi', { persistentVolumeReclaimPolicy: 'Recycle' });
    await makeClaim('1Gi');
    await deleteClaim();
    assert.deepEqual(emptied, ['disk']);
    const { spec, status, metadata } = await getVolume('disk');
    assert.deepEqual([spec?.claimRef, status, metadata.annotations], [undefined, { phase: 'Available' }, undefined]);
    assert.deepEqual(await reasons('disk'), ['VolumeRecycled']);
  });

  test('the whole file system of a node is never emptied', async () => {
    recycle = () => Promise.reject(new Error('was asked to'));
    const hostPath = { path: '/a/..' };
    await makeVolume('disk', '1Gi', { persistentVolumeReclaimPolicy: 'Recycle', hostPath });
    await makeClaim('1Gi');
    await deleteClaim();
    assert.match((await getVolume('disk')).status?.message ?? '', /"\/" is never emptied/);
  });

  test('a volume that cannot be recycled fails, says why, and is tried again later', async () => {
    let attempts = 0;
    recycle = () => Promise.reject(new Error(`attempt ${++attempts} failed`));
    await makeVolume('disk', '1Gi', { persistentVolumeReclaimPolicy: 'Recycle' });
    await makeClaim('1Gi');
    await deleteClaim();
    assert.deepEqual((await getVolume('disk')).status, {
      phase: 'Failed',
      reason: 'VolumeFailedRecycle',
      message: 'attempt 1 failed',
    });
    await fixture.pass(50_000);
    assert.equal(attempts, 1);
    recycle = async () => {};
    await fixture.pass(20_000);
    assert.equal(await phase('disk'), 'Available');
  });

  test('a failed volume is only released when it is to be kept after all', async () => {
    deleteVolume = () => Promise.reject(new Error('no'));
    await makeVolume('disk', '1Gi', { persistentVolumeReclaimPolicy: 'Delete' });
    await makeClaim('1Gi');
    await deleteClaim();
    assert.equal(await phase('disk'), 'Failed');
    const spec = { persistentVolumeReclaimPolicy: 'Retain' };
    await client.patch(volumeKind, { name: 'disk' }, { merge: { spec } });
    await fixture.run.settled();
    assert.deepEqual((await getVolume('disk')).status, { phase: 'Released' });
  });

  test('a volume that was changed meanwhile is not reclaimed as it was before', async (t) => {
    const lagging = new LaggingClient({ registry: fixture.registry, user: { name: 'tester', groups: [] } }, volumeKind);
    await fixture.run.close();
    const run = runControllers([binder], { ...fixture, client: lagging });
    t.after(() => run.close());
    let attempts = 0;
    deleteVolume = () => Promise.reject(new Error(`attempt ${++attempts}`));
    await makeVolume('v', '1Gi', { persistentVolumeReclaimPolicy: 'Delete' });
    await run.settled();
    await makeClaim('1Gi');
    await run.settled();
    await client.delete(claimKind, data);
    await run.settled();
    assert.deepEqual([attempts, await phase('v')], [1, 'Failed']);
    lagging.hold();
    await client.patch(volumeKind, { name: 'v' }, { merge: { spec: { persistentVolumeReclaimPolicy: 'Retain' } } });
    fixture.clock.step(60_000);
    await run.settled();
    assert.equal(attempts, 1);
    lagging.release();
    await run.settled();
    assert.deepEqual([attempts, await phase('v')], [1, 'Released']);
  });

  test('a volume to be deleted goes with what is behind it', async () => {
    const deleted: unknown[] = [];
    deleteVolume = async ({ metadata }) => void deleted.push(metadata.name);
    await makeVolume('disk', '1Gi', { persistentVolumeReclaimPolicy: 'Delete' });
    await makeClaim('1Gi');
    await deleteClaim();
    assert.deepEqual(deleted, ['disk']);
    await assert.rejects(getVolume('disk'), (error) => isApiError(error, 404));
  });

  test('without a recycler a volume to be recycled fails with a message that helps', async () => {
    await fixture.run.close();
    const run = runControllers([volumeBinder()], fixture);
    await makeVolume('disk', '1Gi', { persistentVolumeReclaimPolicy: 'Recycle' });
    await makeClaim('1Gi');
    await run.settled();
    await client.delete(claimKind, data);
    await run.settled();
    await run.close();
    const { status } = await getVolume('disk');
    assert.equal(status?.phase, 'Failed');
    assert.match(status.message ?? '', /empty it by hand/);
  });

  test('a volume that was bound to a claim which then took another one is free again', async () => {
    const claim = await makeClaim('1Gi', { volumeName: 'mine' });
    const claimRef = { kind: 'PersistentVolumeClaim', ...data, uid: claim.metadata.uid };
    await makeVolume('kept', '1Gi', { claimRef });
    await makeVolume('mine', '1Gi');
    assert.equal((await getClaim()).status?.phase, 'Bound');
    const { spec, status } = await getVolume('kept');
    assert.deepEqual([spec?.claimRef, status?.phase], [{ kind: 'PersistentVolumeClaim', ...data }, 'Available']);
  });

  test('a binding that was cut off in the middle is completed', async () => {
    await fixture.run.close();
    const claim = await makeClaim('1Gi');
    const { uid } = claim.metadata;
    await makeVolume('disk', '1Gi', { claimRef: { kind: 'PersistentVolumeClaim', ...data, uid } });
    await makeVolume('aaa', '1Gi');
    const again = runControllers([binder], fixture);
    await again.settled();
    assert.deepEqual([await volumeOf(), await phase('disk'), await phase('aaa')], ['disk', 'Bound', 'Available']);
    const revision = await fixture.storage.revision();
    await client.patch(claimKind, nameOf(claim), { merge: { metadata: { labels: { a: 'b' } } } });
    await again.settled();
    assert.equal(await fixture.storage.revision(), revision + 1);
    await again.close();
  });
});
