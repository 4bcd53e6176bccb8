import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { configMap } from '../kinds/core/config-map.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { ListOptions, Storage } from '../storage/storage.ts';
import { parseSelection } from './selectors/selection.ts';
import { openRegistry, serve, type TestRegistry } from './testing/open-registry.ts';

const maps = { served: serve(configMap), namespace: 'one' };

/** A real storage that counts the entries it gives. */
async function openCounting(count: number): Promise<TestRegistry & { readonly read: () => number }> {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  let read = 0;
  const counting = new Proxy(storage, {
    get(target, name) {
      if (name === 'get') read++;
      if (name === 'list') {
        return async (prefix: string, options?: ListOptions) => {
          const listing = await target.list(prefix, options);
          read += listing.entries.length;
          return listing;
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }) as Storage;
  const opened = openRegistry({ storage: counting });
  for (let i = 0; i < count; i++) {
    await opened.createConfigMap(`m${String(i).padStart(5, '0')}`, { labels: { app: i % 2 === 0 ? 'even' : 'odd' } });
  }
  return { ...opened, read: () => read };
}

/** The names in each part of the list of all even ones; `change` happens behind the first part. */
async function partsOf(
  { registry }: TestRegistry,
  limit: number,
  change: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[][]> {
  const selection = parseSelection({ labelSelector: 'app=even' }, configMap);
  const parts: string[][] = [];
  let next: string | undefined;
  do {
    const part = await registry.list(maps, { selection, limit, continue: next });
    if (parts.push(part.entries.map(({ key }) => key.slice(-5))) === 1) await change();
    next = part.continue;
  } while (next);
  return parts;
}

test('a selected list in parts has every match once, as of the first part', async () => {
  const cluster = await openCounting(2000);
  const parts = await partsOf(cluster, 300, () => cluster.createConfigMap('m01800-new', { labels: { app: 'even' } }));
  assert.deepEqual(
    parts.map(({ length }) => length),
    [300, 300, 300, 100],
  );
  const wanted = Array.from({ length: 1000 }, (_, i) => String(2 * i).padStart(5, '0'));
  assert.deepEqual(parts.flat(), wanted);
});

test('the parts of a selected list together look at each object a few times at most', async () => {
  const cluster = await openCounting(4000);
  const before = cluster.read();
  await partsOf(cluster, 250);
  const read = cluster.read() - before;
  assert.ok(read <= 4000 * 4, `${read} objects were read`);
});
