import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { configMap } from '../kinds/core/config-map.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { encodeList } from './encoding.ts';
import { Selection } from './selectors/selection.ts';
import { openRegistry, serve, writeOptions, type TestRegistry } from './testing/open-registry.ts';

const maps = { served: serve(configMap), namespace: 'one' };
/** A hundred of them are more than a list must have to be kept. */
const data = { text: 'x'.repeat(1000) };

interface Watched extends TestRegistry {
  /** How often a collection was read as a whole since this was asked last. */
  readonly reads: () => number;
  readonly remove: (name: string) => Promise<unknown>;
  readonly replace: (name: string, text: string) => Promise<unknown>;
}

/** A real storage that counts how often a collection is read. */
function open(): Watched {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  let reads = 0;
  const counting = new Proxy(storage, {
    get(target, name) {
      if (name === 'list') reads++;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }) as Storage;
  const opened = openRegistry({ storage: counting });
  return {
    ...opened,
    reads() {
      const count = reads;
      reads = 0;
      return count;
    },
    remove: (name) => opened.registry.delete({ ...maps, name }, writeOptions),
    replace: (name, text) =>
      opened.registry.update({ ...maps, name }, { ...writeOptions, body: { metadata: { name }, data: { text } } }),
  };
}

async function fill({ createConfigMap }: TestRegistry, count = 100): Promise<void> {
  for (let i = 0; i < count; i++) await createConfigMap(`map-${String(i).padStart(4, '0')}`, { data });
}

/** The answer must be what reading everything gives. */
async function check({ registry, reads }: Watched): Promise<'read' | 'kept'> {
  reads();
  const answer = (await registry.listAnswer(maps)).whole().toString();
  const how = reads() > 0 ? 'read' : 'kept';
  const list = await registry.list(maps, { selection: Selection.everything });
  assert.equal(answer, encodeList(list).whole().toString());
  return how;
}

test('a list is kept when it is asked for again', async () => {
  const cluster = open();
  await fill(cluster);
  assert.deepEqual([await check(cluster), await check(cluster), await check(cluster)], ['read', 'read', 'kept']);
});

test('a kept list follows every change, wherever it is in the list', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  await check(cluster);
  const { createConfigMap, remove, replace } = cluster;
  for (const change of [
    () => createConfigMap('aaa', { data }),
    () => createConfigMap('map-0050-and', { data }),
    () => createConfigMap('zzz', { data: { text: 'ünïcode 🚣' } }),
    () => replace('aaa', 'new'),
    () => replace('map-0042', 'new'),
    () => remove('aaa'),
    () => remove('map-0041'),
    () => remove('zzz'),
    async () => {
      for (const text of ['one', 'two', 'three']) await replace('map-0001', text);
      await remove('map-0001');
      await createConfigMap('map-0001', { data });
    },
  ]) {
    await change();
    assert.equal(await check(cluster), 'kept');
  }
});

test('changes elsewhere move only the revision', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  await check(cluster);
  await cluster.storage.create('/registry/configmaps/two/other', Buffer.from('{}'));
  assert.equal(await check(cluster), 'kept');
});

test('a list is read anew when history does not reach back, or when too much has happened', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  await check(cluster);
  await cluster.replace('map-0007', 'new');
  await cluster.storage.compact(await cluster.storage.revision());
  assert.equal(await check(cluster), 'read');
  assert.equal(await check(cluster), 'kept');
  for (let i = 0; i < 2001; i++) await cluster.storage.create(`/registry/secrets/two/${i}`, Buffer.from('{}'));
  assert.equal(await check(cluster), 'read');
});

test('a list that nobody asks for is forgotten', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  await check(cluster);
  cluster.clock.step(9_000);
  assert.equal(await check(cluster), 'kept');
  cluster.clock.step(20_000);
  assert.equal(await check(cluster), 'read');
  assert.equal(await check(cluster), 'read');
});

test('a list that nobody asks for is forgotten, even when the clock was set back', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  await check(cluster);
  cluster.clock.setBy(-60 * 60_000);
  cluster.clock.step(20_000);
  assert.equal(await check(cluster), 'read');
});

test('a list is read anew when storage was put back to an earlier state', async () => {
  const backup = openMemoryStorage({ clock: new SteppedClock() });
  const cluster = openRegistry({ storage: backup });
  await fill(cluster);
  let current = backup.fork();
  const storage = new Proxy({} as Storage, {
    get(_, name) {
      const member: unknown = Reflect.get(current, name, current);
      return typeof member === 'function' ? member.bind(current) : member;
    },
  });
  const { registry, createConfigMap } = openRegistry({ storage });
  await createConfigMap('lost', { data });
  for (let i = 0; i < 3; i++) await registry.listAnswer(maps);
  current = backup;
  assert.doesNotMatch((await registry.listAnswer(maps)).whole().toString(), /lost/);
});

test('nothing is kept once the registry is closed', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  cluster.registry.close();
  for (let i = 0; i < 3; i++) assert.equal(await check(cluster), 'read');
});

test('short lists are not kept', async () => {
  const cluster = open();
  await fill(cluster, 5);
  for (let i = 0; i < 4; i++) assert.equal(await check(cluster), 'read');
});

test('lists of one version are not those of another collection', async () => {
  const cluster = open();
  await fill(cluster);
  await check(cluster);
  await check(cluster);
  const everywhere = { served: maps.served };
  const answer = JSON.parse((await cluster.registry.listAnswer(everywhere)).whole().toString());
  assert.equal(answer.metadata.selfLink, '/api/v1/configmaps');
});
