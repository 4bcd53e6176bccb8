import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { configMap } from '../kinds/core/config-map.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import { unavailable } from '../storage/errors.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import { Selection } from './selectors/selection.ts';
import { disturbed } from './testing/disturbed-storage.ts';
import { openRegistry, serve, writeOptions, type TestRegistry } from './testing/open-registry.ts';

const maps = { served: serve(configMap), namespace: 'one' };
const address = { ...maps, name: 'map-0' };

/** A registry on a storage that fails from a moment on. */
async function openWithBreak(): Promise<TestRegistry & { readonly breakDown: () => void }> {
  let isBroken = false;
  const storage = disturbed(openMemoryStorage({ clock: new SteppedClock() }), () => {
    if (isBroken) throw unavailable('the disk is gone', undefined);
  });
  const opened = openRegistry({ storage });
  // So many and so large that their list is kept.
  for (let i = 0; i < 3; i++) await opened.createConfigMap(`map-${i}`, { data: { text: 'x'.repeat(50_000) } });
  for (let i = 0; i < 2; i++) await opened.registry.listAnswer(maps);
  return { ...opened, breakDown: () => void (isBroken = true) };
}

const calls: Record<string, (registry: TestRegistry['registry']) => Promise<unknown>> = {
  get: (registry) => registry.get(address),
  list: (registry) => registry.list(maps, { selection: Selection.everything }),
  'get a list that is kept': (registry) => registry.listAnswer(maps),
  create: (registry) => registry.create(maps, { ...writeOptions, body: { metadata: { name: 'new' } } }),
  replace: (registry) => registry.update(address, { ...writeOptions, body: { metadata: { name: 'map-0' } } }),
  patch: (registry) =>
    registry.patch(address, { ...writeOptions, type: 'application/merge-patch+json', body: { data: { a: 'b' } } }),
  delete: (registry) => registry.delete(address, writeOptions),
  watch: (registry) => {
    const listener = { onInitial: () => {}, onChanges: () => {}, onEnd: () => {} };
    return registry.watch(maps, { selection: Selection.everything, resourceVersion: '1' }, listener);
  },
};

for (const [what, call] of Object.entries(calls)) {
  test(`who wants to ${what} while storage fails is told so with 503`, async () => {
    const { registry, breakDown } = await openWithBreak();
    breakDown();
    await assert.rejects(call(registry), (error) => isApiError(error, 503));
  });
}
