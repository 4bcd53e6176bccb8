import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import type { HistoryBounds, Storage } from '../storage.ts';
import { bytes, createAll, failsWith, WatchLog } from './expectations.ts';
import type { OpenStorage } from './storage-suite.ts';

const unbounded: HistoryBounds = { count: 1e9, bytes: 1e12, ageMs: 1e12 };

/** For makes that trim their history themselves. They may forget a write or two later than they could, never earlier. */
export function boundsSuite(name: string, open: OpenStorage): void {
  describe(`${name} history bounds`, () => {
    test('no more than the bounded count of changes is kept, and no fewer', async (t) => {
      const storage = await open(t, { history: { ...unbounded, count: 10 } });
      const last = await rewrite(storage, 50, 'value');
      await failsWith('Compacted', storage.watch('/', last - 11, new WatchLog()));
      await failsWith('Compacted', storage.list('/', { revision: last - 11 }));
      const log = new WatchLog();
      await storage.watch('/', last - 10, log);
      assert.equal(log.events.length, 10);
      assert.equal((await storage.list('/', { revision: last - 10 })).entries[0]?.revision, last - 10);
    });

    test('superseded values are kept up to the bounded size', async (t) => {
      const storage = await open(t, { history: { ...unbounded, bytes: 100_000 } });
      const last = await rewrite(storage, 50, 'x'.repeat(10_000));
      const log = new WatchLog();
      await storage.watch('/', last - 8, log);
      assert.equal(log.events.length, 8);
      await failsWith('Compacted', storage.watch('/', last - 12, new WatchLog()));
    });

    test('what is older than the bounded age is forgotten as writes come', async (t) => {
      const clock = new SteppedClock();
      const storage = await open(t, { clock, history: { ...unbounded, ageMs: 60_000 } });
      const [first] = await createAll(storage, ['/a', '/b', '/c']);
      clock.step(60_000);
      const [later] = await createAll(storage, ['/d']);
      await storage.watch('/', first! - 1, new WatchLog());
      clock.step(1);
      await createAll(storage, ['/e', '/f']);
      await failsWith('Compacted', storage.watch('/', first!, new WatchLog()));
      const log = new WatchLog();
      await storage.watch('/', later! - 1, log);
      assert.deepEqual(
        log.events.map(({ key }) => key),
        ['/d', '/e', '/f'],
      );
      assert.equal((await storage.list('/')).entries.length, 6);
    });

    test('history that is not kept at all leaves current values and open watches alone', async (t) => {
      const storage = await open(t, { history: { count: 0, bytes: 0, ageMs: 0 } });
      const log = new WatchLog();
      await storage.watch('/', 0, log);
      const last = await rewrite(storage, 20, 'value');
      assert.equal(log.events.length, 20);
      assert.equal((await storage.list('/', { revision: last })).entries.length, 1);
      await failsWith('Compacted', storage.list('/', { revision: last - 1 }));
      await storage.watch('/', last, new WatchLog());
    });
  });
}

/** Writes one key so many times and gives the last revision. */
async function rewrite(storage: Storage, times: number, value: string): Promise<number> {
  let { revision } = await storage.create('/a', bytes(value));
  for (let round = 1; round < times; round++) ({ revision } = await storage.update('/a', bytes(value), revision));
  return revision;
}
