import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { configMap } from '../kinds/core/config-map.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { pod } from '../kinds/core/pod.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { Selection } from './selectors/selection.ts';
import { disturbed } from './testing/disturbed-storage.ts';
import { openRegistry, serve, writeOptions } from './testing/open-registry.ts';

const address = { served: serve(configMap), namespace: 'one', name: 'a' };
const release = {
  ...writeOptions,
  type: 'application/merge-patch+json' as const,
  body: { metadata: { finalizers: null } },
};

/** Changes the entry in storage, as another server might. */
async function touch(storage: Storage, key: string): Promise<void> {
  const entry = await storage.get(key);
  if (entry) await storage.update(key, Buffer.concat([entry.value, Buffer.from(' ')]), entry.revision);
}

/** A registry in which somebody else does something before the first removals. */
function open(interventions: ((storage: Storage, key: string) => Promise<unknown>)[]) {
  const shared = openMemoryStorage({ clock: new SteppedClock() });
  const storage = disturbed(shared, async (call, key) => {
    if (call === 'delete') await interventions.shift()?.(shared, key as string);
  });
  return openRegistry({ storage });
}

async function createHeld({ registry }: ReturnType<typeof open>): Promise<void> {
  await registry.create(address, {
    ...writeOptions,
    body: { metadata: { name: 'a', finalizers: ['example.com/x'] } },
  });
  await registry.delete(address, writeOptions);
}

test('an object that nobody holds any more goes, also when others write it at that moment', async () => {
  const scene = open([touch, touch]);
  await createHeld(scene);
  const { object } = await scene.registry.patch(address, release);
  assert.equal(object.object.metadata.finalizers, undefined);
  await assert.rejects(scene.registry.get(address), (error) => isApiError(error, 404));
});

async function remove(storage: Storage, key: string): Promise<void> {
  const { revision } = (await storage.get(key))!;
  await storage.delete(key, revision);
}

test('a pod that somebody else removes when it is marked is removed', async () => {
  const { registry } = open([remove]);
  const pods = { served: serve(pod), namespace: 'one', name: 'web' };
  await registry.create(pods, { ...writeOptions, body: pod.example });
  assert.equal((await registry.delete(pods, writeOptions)).removed, true);
});

test('an object that somebody else removes when it is let go of is let go of', async () => {
  const scene = open([remove]);
  await createHeld(scene);
  await scene.registry.patch(address, release);
  await assert.rejects(scene.registry.get(address), (error) => isApiError(error, 404));
});

test('an object that was let go of, and stayed because the server stopped, goes with the next write', async () => {
  const scene = open([() => Promise.reject(new Error('the server stops'))]);
  await createHeld(scene);
  await assert.rejects(scene.registry.patch(address, release), /stops/);
  await scene.registry.get(address);
  await scene.registry.patch(address, release);
  await assert.rejects(scene.registry.get(address), (error) => isApiError(error, 404));
});

test('a collection of namespaces goes, also when others write them at that moment', async () => {
  const { registry } = open([touch]);
  const namespaces = { served: serve(namespace) };
  await registry.create(namespaces, { ...writeOptions, body: { metadata: { name: 'n' } } });
  await registry.deleteCollection(namespaces, { selection: Selection.everything }, writeOptions);
  await assert.rejects(registry.get({ ...namespaces, name: 'n' }), (error) => isApiError(error, 404));
});
