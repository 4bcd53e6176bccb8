import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event } from '../kinds/core/event.ts';
import { configMap } from '../kinds/core/config-map.ts';
import { pod } from '../kinds/core/pod.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { DeleteResult } from './delete.ts';
import { openRegistry, serve, shown, writeOptions, type TestRegistry } from './testing/open-registry.ts';

const address = { served: serve(configMap), namespace: 'one', name: 'a' };
const mergePatch = 'application/merge-patch+json' as const;

function remove({ registry }: TestRegistry, body?: object, dryRun = false): Promise<DeleteResult> {
  return registry.delete(address, { ...writeOptions, dryRun, body });
}

function finalizersOf({ object }: DeleteResult): string[] | undefined {
  return shown(object).metadata.finalizers;
}

const notFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404;

for (const body of [undefined, { propagationPolicy: 'Background' }, { orphanDependents: false }]) {
  test(`an object that is deleted with ${JSON.stringify(body)} goes at once`, async () => {
    const scene = openRegistry();
    await scene.createConfigMap('a');
    assert.equal((await remove(scene, body)).removed, true);
    await assert.rejects(scene.registry.get(address), notFound);
  });
}

for (const [body, finalizer] of [
  [{ propagationPolicy: 'Foreground' }, 'foregroundDeletion'],
  [{ propagationPolicy: 'Orphan' }, 'orphan'],
  [{ orphanDependents: true }, 'orphan'],
] as const) {
  test(`an object that is deleted with ${JSON.stringify(body)} waits for whoever takes ${finalizer} away`, async () => {
    const scene = openRegistry();
    await scene.createConfigMap('a');
    const result = await remove(scene, body);
    assert.equal(result.removed, false);
    assert.deepEqual(finalizersOf(result), [finalizer]);
    assert.equal(shown(result.object).metadata.deletionTimestamp, '2030-01-01T00:00:00Z');
    await scene.registry.patch(address, {
      ...writeOptions,
      type: mergePatch,
      body: { metadata: { finalizers: null } },
    });
    await assert.rejects(scene.registry.get(address), notFound);
  });
}

test('another policy takes the place of the first, and the moment of the first stays', async () => {
  const scene = openRegistry();
  const { registry, clock } = scene;
  const body = { metadata: { name: 'a', finalizers: ['example.com/x'] } };
  await registry.create(address, { ...writeOptions, body });
  await remove(scene, { propagationPolicy: 'Foreground' });
  clock.step(5000);
  const second = await remove(scene, { propagationPolicy: 'Orphan' });
  assert.deepEqual(finalizersOf(second), ['example.com/x', 'orphan']);
  assert.equal(shown(second.object).metadata.deletionTimestamp, '2030-01-01T00:00:00Z');
  assert.deepEqual(finalizersOf(await remove(scene)), ['example.com/x', 'orphan']);
  assert.deepEqual(finalizersOf(await remove(scene, { propagationPolicy: 'Background' })), ['example.com/x']);
});

test('an object that waits in the foreground goes at once when that is no longer asked for', async () => {
  const scene = openRegistry();
  await scene.createConfigMap('a');
  await remove(scene, { propagationPolicy: 'Foreground' });
  assert.equal((await remove(scene, { propagationPolicy: 'Background' })).removed, true);
  await assert.rejects(scene.registry.get(address), notFound);
});

test('a dry run shows the finalizer and stores nothing', async () => {
  const scene = openRegistry();
  await scene.createConfigMap('a');
  assert.deepEqual(finalizersOf(await remove(scene, { propagationPolicy: 'Orphan' }, true)), ['orphan']);
  assert.equal(shown(await scene.registry.get(address)).metadata.deletionTimestamp, undefined);
});

test('a pod keeps its grace beside its finalizer, and the end of the grace does not remove it', async () => {
  const { registry } = openRegistry();
  const pods = { served: serve(pod), namespace: 'one', name: 'web' };
  const body = { ...pod.example, spec: { ...pod.example.spec, nodeName: 'n1' } };
  await registry.create(pods, { ...writeOptions, body });
  await registry.delete(pods, { ...writeOptions, body: { propagationPolicy: 'Foreground' } });
  const { removed, object } = await registry.delete(pods, { ...writeOptions, body: { gracePeriodSeconds: 0 } });
  assert.equal(removed, false);
  assert.deepEqual(shown(object).metadata.finalizers, ['foregroundDeletion']);
  await registry.patch(pods, { ...writeOptions, type: mergePatch, body: { metadata: { finalizers: null } } });
  await assert.rejects(registry.get(pods), notFound);
});

test('an event owns nothing and goes at once, whatever is asked', async () => {
  const { registry } = openRegistry();
  const events = { served: serve(event), namespace: 'one', name: 'e' };
  const body = { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace: 'one' } };
  await registry.create(events, { ...writeOptions, body });
  const { removed } = await registry.delete(events, { ...writeOptions, body: { propagationPolicy: 'Orphan' } });
  assert.equal(removed, true);
});
