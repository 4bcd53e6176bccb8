import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { boundsSuite } from '../suite/bounds-suite.ts';
import { bytes, createAll, keysOf, WatchLog } from '../suite/expectations.ts';
import { storageSuite } from '../suite/storage-suite.ts';
import type { OpenOptions } from '../suite/storage-suite.ts';
import { openMemoryStorage } from './memory-storage.ts';
import type { MemoryStorage } from './memory-storage.ts';

async function open(t: TestContext, options: OpenOptions = {}): Promise<MemoryStorage> {
  const storage = openMemoryStorage({ clock: systemClock, ...options });
  t.after(() => storage.close());
  return storage;
}

storageSuite('memory', open);
boundsSuite('memory', open);

test('a fork goes its own way from the state and history of the original', async (t) => {
  const original = await open(t);
  const [a] = await createAll(original, ['/a', '/b']);
  const fork = original.fork();
  t.after(() => fork.close());
  const log = new WatchLog();
  await original.watch('/', 0, log);
  await fork.update('/a', bytes('fork'), a!);
  await createAll(original, ['/c']);
  assert.deepEqual(keysOf(await fork.list('/')), ['/a', '/b']);
  assert.equal((await original.get('/a'))?.value.toString(), '/a');
  assert.equal((await fork.get('/a', { revision: 2 }))?.value.toString(), '/a');
  assert.deepEqual(
    log.events.map(({ key }) => key),
    ['/a', '/b', '/c'],
  );
});

test('thousands of keys stay in order as they come and go', async (t) => {
  const storage = await open(t);
  const numbers = Array.from({ length: 4_000 }, (_, index) => (index * 2_111) % 4_000);
  const revisions = new Map<string, number>();
  for (const number of numbers) {
    const key = `/n/${String(number).padStart(4, '0')}`;
    revisions.set(key, (await storage.create(key, bytes(key))).revision);
  }
  const keys = [...revisions.keys()].sort();
  assert.deepEqual(keysOf(await storage.list('/n/')), keys);
  for (const key of keys.slice(300, 3_500)) await storage.delete(key, revisions.get(key)!);
  const left = [...keys.slice(0, 300), ...keys.slice(3_500)];
  assert.deepEqual(keysOf(await storage.list('/n/')), left);
  const part = await storage.list('/n/', { after: left[298], limit: 3 });
  assert.deepEqual(keysOf(part), left.slice(299, 302));
  assert.equal(part.remaining, left.length - 302);
});
