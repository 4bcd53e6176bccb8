import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytes, createAll, failsWith, WatchLog } from './expectations.ts';
import type { OpenStorage } from './storage-suite.ts';

export function closeSuite(open: OpenStorage): void {
  describe('closing', () => {
    test('every later call fails with Closed', async (t) => {
      const storage = await open(t);
      await createAll(storage, ['/a']);
      await storage.close();
      await failsWith('Closed', storage.revision());
      await failsWith('Closed', storage.get('/a'));
      await failsWith('Closed', storage.list('/'));
      await failsWith('Closed', storage.create('/b', bytes('b')));
      await failsWith('Closed', storage.update('/a', bytes('b'), 1));
      await failsWith('Closed', storage.delete('/a', 1));
      await failsWith('Closed', storage.watch('/', 0, new WatchLog()));
      await failsWith('Closed', storage.compact(1));
    });

    test('closing again does nothing', async (t) => {
      const storage = await open(t);
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
    });

    test('writes under way are finished and heard of, then watches end', async (t) => {
      const storage = await open(t);
      const [log, closedBefore] = [new WatchLog(), new WatchLog()];
      await storage.watch('/', 0, log);
      (await storage.watch('/', 0, closedBefore)).close();
      const writing = Array.from({ length: 50 }, (_, index) => storage.create(`/${index}`, bytes('value')));
      await storage.close();
      assert.equal((await Promise.all(writing)).length, 50);
      assert.equal(log.events.length, 50);
      assert.deepEqual(log.ends, [undefined]);
      assert.deepEqual(closedBefore.ends, []);
    });
  });
}
