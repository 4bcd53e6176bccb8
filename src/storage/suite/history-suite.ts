import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytes, createAll, entryTexts, eventText, failsWith, WatchLog } from './expectations.ts';
import type { OpenStorage } from './storage-suite.ts';

export function historySuite(open: OpenStorage): void {
  describe('compaction', () => {
    test('what is older than the compacted revision is forgotten, what is not remains', async (t) => {
      const storage = await open(t);
      const [a, b, c] = await createAll(storage, ['/a', '/b', '/c']);
      const { revision: updated } = await storage.update('/a', bytes('new'), a!);
      await storage.compact(b!);
      await failsWith('Compacted', storage.list('/', { revision: a }));
      await failsWith('Compacted', storage.get('/a', { revision: a }));
      await failsWith('Compacted', storage.watch('/', a!, new WatchLog()));
      assert.deepEqual(entryTexts(await storage.list('/', { revision: b })), [`/a=/a@${a}`, `/b=/b@${b}`]);
      const log = new WatchLog();
      await storage.watch('/', b!, log);
      assert.deepEqual(log.texts, [`created /c=/c@${c}`, `updated /a=new@${updated} was /a=/a@${a}`]);
      assert.equal(await storage.revision(), updated);
      assert.equal((await storage.list('/')).entries.length, 3);
    });

    test('everything up to now can be forgotten, and history goes on from there', async (t) => {
      const storage = await open(t);
      const [a] = await createAll(storage, ['/a']);
      await storage.compact(a!);
      await failsWith('Compacted', storage.watch('/', 0, new WatchLog()));
      const log = new WatchLog();
      await storage.watch('/', a!, log);
      const { revision } = await storage.update('/a', bytes('new'), a!);
      assert.deepEqual(log.events.map(eventText), [`updated /a=new@${revision} was /a=/a@${a}`]);
      assert.deepEqual(entryTexts(await storage.list('/', { revision: a })), [`/a=/a@${a}`]);
    });

    test('compacting to a forgotten revision does nothing, to one yet to come is refused', async (t) => {
      const storage = await open(t);
      const [a, b] = await createAll(storage, ['/a', '/b']);
      await storage.compact(b!);
      await storage.compact(a!);
      await storage.compact(0);
      await storage.list('/', { revision: b });
      await failsWith('FutureRevision', storage.compact(b! + 1));
      await assert.rejects(storage.compact(Number.NaN), RangeError);
    });

    test('compaction does not disturb a watch that is open', async (t) => {
      const storage = await open(t);
      const log = new WatchLog();
      await storage.watch('/', 0, log);
      const [a] = await createAll(storage, ['/a']);
      await storage.compact(a!);
      await createAll(storage, ['/b']);
      assert.deepEqual(
        log.events.map(({ key }) => key),
        ['/a', '/b'],
      );
      assert.deepEqual(log.ends, []);
    });
  });
}
