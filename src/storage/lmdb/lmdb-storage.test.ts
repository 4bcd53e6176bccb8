import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import type { HistoryBounds } from '../storage.ts';
import { boundsSuite } from '../suite/bounds-suite.ts';
import { bytes, createAll, entryTexts, failsWith, keysOf, WatchLog } from '../suite/expectations.ts';
import { storageSuite } from '../suite/storage-suite.ts';
import type { OpenOptions } from '../suite/storage-suite.ts';
import { openDatabase } from './database.ts';
import { openLmdbStorage } from './lmdb-storage.ts';
import type { LmdbStorage } from './lmdb-storage.ts';
import { temporaryDirectory } from './temporary-directory.ts';

async function openEmpty(t: TestContext, options: OpenOptions = {}): Promise<LmdbStorage> {
  return openIn(t, await temporaryDirectory(t), options);
}

async function openIn(t: TestContext, path: string, options: OpenOptions = {}): Promise<LmdbStorage> {
  const storage = await openLmdbStorage({ path, clock: systemClock, ...options });
  t.after(() => storage.close());
  return storage;
}

storageSuite('LMDB', openEmpty);
boundsSuite('LMDB', openEmpty);

describe('LMDB storage on disk', () => {
  test('entries, revision, history and what is compacted survive a restart', async (t) => {
    const path = await temporaryDirectory(t);
    const before = await openIn(t, path);
    const heard = new WatchLog();
    await before.watch('/', 0, heard);
    const [a, b] = await createAll(before, ['/a', '/b']);
    const { revision: updated } = await before.update('/a', bytes('new'), a!);
    const { revision: deleted } = await before.delete('/b', b!);
    await before.compact(a!);
    await before.close();

    const after = await openIn(t, path);
    assert.equal(await after.revision(), deleted);
    assert.deepEqual(entryTexts(await after.list('/')), [`/a=new@${updated}`]);
    assert.deepEqual(entryTexts(await after.list('/', { revision: b })), [`/a=/a@${a}`, `/b=/b@${b}`]);
    await failsWith('Compacted', after.watch('/', 0, new WatchLog()));
    const log = new WatchLog();
    await after.watch('/', a!, log);
    assert.deepEqual(log.texts, heard.texts.slice(1));
    assert.ok((await after.create('/c', bytes('c'))).revision > deleted);
  });

  test('a directory that is not there is made, with those above it', async (t) => {
    const path = join(await temporaryDirectory(t), 'some', 'where');
    const storage = await openIn(t, path);
    await createAll(storage, ['/a']);
    assert.deepEqual(keysOf(await storage.list('/')), ['/a']);
  });

  test('a directory that cannot be made is Unavailable', async (t) => {
    const file = join(await temporaryDirectory(t), 'file');
    await writeFile(file, 'not a directory');
    await failsWith('Unavailable', openLmdbStorage({ path: join(file, 'data'), clock: systemClock }));
  });

  test('a file that is no database is Unavailable and the directory is not left claimed', async (t) => {
    const path = await temporaryDirectory(t);
    await writeFile(join(path, 'data.mdb'), 'no database'.repeat(10_000));
    await failsWith('Unavailable', openLmdbStorage({ path, clock: systemClock }));
    assert.deepEqual(await readdir(path), ['data.mdb']);
  });

  test('a format of a later release is refused', async (t) => {
    const path = await temporaryDirectory(t);
    const database = await openDatabase(path);
    await database.batch(() => void database.meta.put('state', Buffer.from('{"format":2}')));
    await database.close();
    await failsWith('Unavailable', openLmdbStorage({ path, clock: systemClock }));
  });

  test('a compaction of long history is complete even when the storage closes soon after', async (t) => {
    const path = await temporaryDirectory(t);
    const storage = await openIn(t, path);
    const keys = Array.from({ length: 1_000 }, (_, index) => `/${index}`);
    await Promise.all(keys.map((key) => storage.create(key, bytes(key))));
    const revision = await storage.revision();
    await storage.compact(revision - 5);
    await storage.close();
    const again = await openIn(t, path);
    await failsWith('Compacted', again.watch('/', revision - 6, new WatchLog()));
    const log = new WatchLog();
    await again.watch('/', revision - 5, log);
    assert.equal(log.events.length, 5);
    await createAll(again, ['/new']);
    assert.equal(log.events.length, 6);
  });

  test('trimmed history gives its space back', async (t) => {
    const history: HistoryBounds = { count: 20, bytes: 1e9, ageMs: 1e9 };
    const path = await temporaryDirectory(t);
    const storage = await openIn(t, path, { history });
    const value = Buffer.alloc(50_000, 'x');
    let { revision } = await storage.create('/a', value);
    const sizes: number[] = [];
    for (let round = 0; round < 400; round++) {
      ({ revision } = await storage.update('/a', value, revision));
      sizes.push((await stat(join(path, 'data.mdb'))).size);
    }
    assert.ok(sizes.at(-1)! <= sizes[100]! * 1.5, `grew from ${sizes[100]} to ${sizes.at(-1)}`);
  });
});
