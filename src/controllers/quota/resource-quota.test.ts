import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { resourceQuota as quotaAdmission } from '../../access/admission/resource-quota.ts';
import { changeObject } from '../../client/change-object.ts';
import type { Client } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import { pod, type Pod } from '../../kinds/core/pod.ts';
import { countedKinds } from '../../kinds/core/quota/quota-rules.ts';
import { resourceQuota, type ResourceQuota } from '../../kinds/core/resource-quota.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { resourceQuotas } from './resource-quota.ts';

type Texts = Record<string, string>;
const bounds = { namespace: 'one', name: 'bounds' };

describe('the quota controller', () => {
  let fixture: ControllerFixture;
  let client: Client;
  /** The real plugin; it works on the storage that the fixture opens. */
  let admission: AdmissionPlugin;
  beforeEach(async () => {
    const late: AdmissionPlugin = {
      name: 'ResourceQuota',
      reserve: async (attempt) => admission.reserve?.(attempt),
    };
    admission = { name: 'not yet' };
    fixture = await openControllers([resourceQuotas], { admission: [late] });
    admission = quotaAdmission(fixture.storage);
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  async function bound(hard: Texts, scopes?: string[]): Promise<void> {
    const spec = { hard, scopes };
    await client.create(resourceQuota, { kind: 'ResourceQuota', apiVersion: 'v1', metadata: bounds, spec });
    await fixture.run.settled();
  }

  function status(): Promise<ResourceQuota['status']> {
    return client.get(resourceQuota, bounds).then((quota) => quota.status);
  }

  async function makePod(name: string, requests: Texts = {}, spec: Partial<Pod['spec']> = {}): Promise<Pod> {
    const containers = [{ name: 'web', image: 'i', resources: { requests } }];
    const metadata = { name, namespace: 'one' };
    return client.create(pod, { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers, ...spec }, status: {} });
  }

  async function soon(): Promise<void> {
    await fixture.run.settled();
    await fixture.pass(200);
  }

  test('bounds come into force with a count of what is there', async () => {
    await makePod('a', { cpu: '500m', memory: '1Gi' });
    await makePod('b', { cpu: '1', memory: '512Mi' });
    await bound({ pods: '5', 'requests.cpu': '4', memory: '4Gi', configmaps: '3', 'example.com/boats': '2' });
    assert.deepEqual(await status(), {
      hard: { pods: '5', 'requests.cpu': '4', memory: '4Gi', configmaps: '3', 'example.com/boats': '2' },
      used: { pods: '2', 'requests.cpu': '1500m', memory: '1536Mi', configmaps: '0', 'example.com/boats': '0' },
    });
  });

  test('objects of every kind that counts are counted', async () => {
    const hard = Object.fromEntries(countedKinds.map(({ resource }) => [resource, '9']));
    for (const kind of countedKinds) {
      for (const name of ['a', 'b']) {
        await client.create(kind, { ...kind.example, metadata: { name, namespace: 'one' } });
      }
    }
    await bound(hard);
    const used = Object.fromEntries(countedKinds.map(({ resource }) => [resource, '2']));
    assert.deepEqual((await status())?.used, { ...used, resourcequotas: '3' });
  });

  test('bounds that change come into force at once', async () => {
    await bound({ pods: '1' });
    await makePod('a');
    await assert.rejects(makePod('b'), (error) => isApiError(error, 403));
    await client.patch(resourceQuota, bounds, { merge: { spec: { hard: { pods: '2', services: '1' } } } });
    await fixture.run.settled();
    assert.deepEqual(await status(), { hard: { pods: '2', services: '1' }, used: { pods: '1', services: '0' } });
    await makePod('b');
  });

  test('what is deleted makes room soon', async () => {
    await bound({ pods: '1', configmaps: '1' });
    const made = await makePod('a');
    await client.create(configMap, { ...configMap.example, metadata: { name: 'c', namespace: 'one' } });
    assert.deepEqual((await status())?.used, { pods: '1', configmaps: '1' });
    await client.delete(pod, nameOf(made));
    await client.delete(configMap, { namespace: 'one', name: 'c' });
    await soon();
    assert.deepEqual((await status())?.used, { pods: '0', configmaps: '0' });
    await makePod('b');
  });

  test('a pod that has ended makes room', async () => {
    await bound({ pods: '1' });
    const made = await makePod('a');
    const change = (each: Pod): void => void (each.status.phase = 'Succeeded');
    await changeObject(client, { kind: pod, name: nameOf(made), part: 'status', change });
    await soon();
    assert.deepEqual((await status())?.used, { pods: '0' });
  });

  test('an object that is charged for and on its way is not overlooked', async () => {
    await bound({ pods: '3' });
    const made = await makePod('a');
    // Charged for, and not yet there.
    const charged = await admission.reserve!({
      operation: 'create',
      kind: pod,
      namespace: 'one',
      name: 'late',
      object: made,
      user: { name: 'tester', groups: [] },
      dryRun: false,
    });
    await client.delete(pod, nameOf(made));
    await fixture.run.settled();
    assert.deepEqual((await status())?.used, { pods: '2' });
    await charged?.undo?.();
    await makePod('late');
    await soon();
    assert.deepEqual((await status())?.used, { pods: '2' });
    await soon();
    assert.deepEqual((await status())?.used, { pods: '1' });
  });

  test('room is made even where something is charged all the time', async () => {
    await bound({ pods: '100' });
    const made = await makePod('a');
    await client.delete(pod, nameOf(made));
    await fixture.run.settled();
    for (let i = 0; i < 30; i++) {
      await makePod(`busy-${i}`);
      fixture.clock.step(100);
      await fixture.run.settled();
    }
    assert.deepEqual((await status())?.used, { pods: '30' });
  });

  test('scopes decide which pods count', async () => {
    await makePod('best-effort');
    await makePod('steady', { cpu: '1', memory: '1Gi' });
    await makePod('short', { cpu: '1', memory: '1Gi' }, { activeDeadlineSeconds: 5 });
    await bound({ pods: '9', cpu: '9' }, ['NotBestEffort', 'Terminating']);
    assert.deepEqual((await status())?.used, { pods: '1', cpu: '1' });
  });

  test('usage that is wrong is put right within five minutes, and nothing is written otherwise', async () => {
    await bound({ pods: '9' });
    await makePod('a');
    const wrong = (quota: ResourceQuota): void => void (quota.status = { ...quota.status, used: { pods: '7' } });
    await changeObject(client, { kind: resourceQuota, name: bounds, part: 'status', change: wrong });
    await fixture.pass(60_000);
    assert.deepEqual((await status())?.used, { pods: '7' });
    await fixture.pass(5 * 60_000);
    assert.deepEqual((await status())?.used, { pods: '1' });
    const revision = await fixture.storage.revision();
    await fixture.pass(6 * 60_000);
    assert.equal(await fixture.storage.revision(), revision);
  });
});
