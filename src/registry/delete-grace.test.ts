import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod } from '../kinds/core/pod.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { Registry } from './registry.ts';
import { openRegistry, serve, shown, writeOptions } from './testing/open-registry.ts';

const address = { served: serve(pod), namespace: 'one', name: 'web' };

async function createScheduled(registry: Registry): Promise<void> {
  const body = { ...pod.example, spec: { ...pod.example.spec, nodeName: 'n1', terminationGracePeriodSeconds: 30 } };
  await registry.create(address, { ...writeOptions, body });
}

/** How long the pod has after a delete that asks for so much, and until when. */
async function graceAfter(registry: Registry, gracePeriodSeconds?: number): Promise<unknown> {
  const body = gracePeriodSeconds === undefined ? undefined : { gracePeriodSeconds };
  const { object } = await registry.delete(address, { ...writeOptions, body });
  const { deletionGracePeriodSeconds, deletionTimestamp } = shown(object).metadata;
  return [deletionGracePeriodSeconds, deletionTimestamp?.slice(-3)];
}

test('a running grace period goes on when a later delete asks for none, or for more', async () => {
  const { registry, clock } = openRegistry();
  await createScheduled(registry);
  assert.deepEqual(await graceAfter(registry, 50), [50, '50Z']);
  clock.step(1000);
  assert.deepEqual(await graceAfter(registry), [50, '50Z']);
  assert.deepEqual(await graceAfter(registry, 60), [50, '50Z']);
});

test('a running grace period is shortened by a later delete, and begins anew when the same is asked for', async () => {
  const { registry, clock } = openRegistry();
  await createScheduled(registry);
  assert.deepEqual(await graceAfter(registry), [30, '30Z']);
  clock.step(1000);
  assert.deepEqual(await graceAfter(registry, 30), [30, '31Z']);
  assert.deepEqual(await graceAfter(registry, 4), [4, '05Z']);
  const { removed } = await registry.delete(address, { ...writeOptions, body: { gracePeriodSeconds: 0 } });
  assert.equal(removed, true);
  await assert.rejects(registry.get(address), (error) => error instanceof ApiError && error.code === 404);
});

test('a grace period that outlasts the calendar ends with it', async () => {
  for (const asked of [300_000_000_000, Number.MAX_SAFE_INTEGER]) {
    const { registry } = openRegistry();
    await createScheduled(registry);
    const { object } = await registry.delete(address, { ...writeOptions, body: { gracePeriodSeconds: asked } });
    const { deletionGracePeriodSeconds, deletionTimestamp } = shown(object).metadata;
    assert.deepEqual([deletionGracePeriodSeconds, deletionTimestamp], [asked, '9999-12-31T23:59:59Z']);
  }
});
