import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Storage, StorageEvent } from '../storage.ts';
import { bytes, createAll, WatchLog } from './expectations.ts';
import type { OpenStorage } from './storage-suite.ts';

export function watchSuite(open: OpenStorage): void {
  describe('watches', () => {
    test('a watch hears of every change with what stood there before', async (t) => {
      const storage = await open(t);
      const log = new WatchLog();
      await storage.watch('/', 0, log);
      const { revision: created } = await storage.create('/a', bytes('one'));
      const { revision: updated } = await storage.update('/a', bytes('two'), created);
      const { revision: deleted } = await storage.delete('/a', updated);
      assert.deepEqual(log.texts, [
        `created /a=one@${created}`,
        `updated /a=two@${updated} was /a=one@${created}`,
        `deleted /a@${deleted} was /a=two@${updated}`,
      ]);
      assert.deepEqual(log.ends, []);
    });

    test('a watch hears of a write before its writer does', async (t) => {
      const storage = await open(t);
      const order: string[] = [];
      await storage.watch('/', 0, { onEvents: () => void order.push('watch'), onEnd: () => {} });
      await storage.create('/a', bytes('one')).then(() => order.push('writer'));
      assert.deepEqual(order, ['watch', 'writer']);
    });

    test('what a watch hears of can be read at once', async (t) => {
      const storage = await open(t);
      const reads: Promise<unknown>[] = [];
      const onEvents = (events: readonly StorageEvent[]): void => {
        for (const { key, revision } of events) {
          reads.push(storage.get(key).then((entry) => assert.equal(entry?.revision, revision)));
          reads.push(storage.revision().then((newest) => assert.ok(newest >= revision)));
        }
      };
      await storage.watch('/', 0, { onEvents, onEnd: () => {} });
      await createAll(storage, ['/a', '/b']);
      assert.equal(reads.length, 4);
      await Promise.all(reads);
    });

    test('refused writes make no events', async (t) => {
      const storage = await open(t);
      await createAll(storage, ['/a']);
      const log = new WatchLog();
      await storage.watch('/', await storage.revision(), log);
      await Promise.allSettled([
        storage.create('/a', bytes('x')),
        storage.update('/a', bytes('x'), 99),
        storage.delete('/b', 1),
      ]);
      assert.deepEqual(log.texts, []);
    });

    test('a watch hears of its prefix only', async (t) => {
      const storage = await open(t);
      const [everything, under, none] = [new WatchLog(), new WatchLog(), new WatchLog()];
      await storage.watch('', 0, everything);
      await storage.watch('/a/', 0, under);
      await storage.watch('/none/', 0, none);
      const revisions = await createAll(storage, ['/a', '/a/1', '/a0', '/b', '/a/é']);
      assert.deepEqual(
        everything.events.map(({ revision }) => revision),
        revisions,
      );
      assert.deepEqual(
        under.events.map(({ key }) => key),
        ['/a/1', '/a/é'],
      );
      assert.deepEqual(none.events, []);
    });

    test('a watch from an old revision first hears of what it missed', async (t) => {
      const storage = await open(t);
      const heard = await watchedHistory(storage);
      for (const [index, { revision }] of heard.events.entries()) {
        const log = new WatchLog();
        await storage.watch('/', revision, log);
        assert.deepEqual(log.texts, heard.texts.slice(index + 1));
      }
      const late = new WatchLog();
      await storage.watch('/b', 0, late);
      await storage.create('/b/late', bytes('late'));
      assert.deepEqual(
        late.texts,
        heard.texts.filter((text) => text.includes(' /b')),
      );
    });

    test('a watch after a revision yet to come hears only of what is newer', async (t) => {
      const storage = await open(t);
      const log = new WatchLog();
      const revision = await storage.revision();
      await storage.watch('/', revision + 2, log);
      await createAll(storage, ['/a', '/b', '/c']);
      assert.ok(log.events.every((event) => event.revision > revision + 2));
      assert.equal(log.events.at(-1)?.key, '/c');
    });

    test('watches that are opened amid concurrent writes miss nothing and hear nothing twice', async (t) => {
      const storage = await open(t);
      const logs: { after: number; log: WatchLog }[] = [];
      async function write(writer: number): Promise<void> {
        let { revision } = await storage.create(`/${writer}`, bytes('0'));
        for (let round = 0; round < 20; round++) {
          ({ revision } = await storage.update(`/${writer}`, bytes(`${round}`), revision));
          const log = new WatchLog();
          const after = Math.max(0, revision - ((writer * 7 + round) % 25));
          await storage.watch('/', after, log);
          logs.push({ after, log });
        }
      }
      const whole = new WatchLog();
      await storage.watch('/', 0, whole);
      await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
      assert.equal(whole.events.length, 8 * 21);
      for (const { after, log } of logs) {
        assert.deepEqual(
          log.events.map(({ revision }) => revision),
          revisionsAfter(whole, after),
        );
      }
    });

    test('watches on one prefix are independent: closing one leaves the other', async (t) => {
      const storage = await open(t);
      const [first, second] = [new WatchLog(), new WatchLog()];
      const watch = await storage.watch('/', 0, first);
      await storage.watch('/', 0, second);
      await createAll(storage, ['/a']);
      watch.close();
      watch.close();
      await createAll(storage, ['/b']);
      assert.deepEqual(
        first.events.map(({ key }) => key),
        ['/a'],
      );
      assert.deepEqual(
        second.events.map(({ key }) => key),
        ['/a', '/b'],
      );
      assert.deepEqual(first.ends, []);
      assert.equal(first.events[0], second.events[0], 'an event is built once');
    });

    test('a listener may close watches, open watches and write', async (t) => {
      const storage = await open(t);
      const [last, opened] = [new WatchLog(), new WatchLog()];
      const writes: Promise<unknown>[] = [];
      const watch = await storage.watch('/', 0, {
        onEvents() {
          watch.close();
          writes.push(storage.create('/b', bytes('b')), storage.watch('/', 0, opened));
        },
        onEnd: () => {},
      });
      await storage.watch('/', 0, last);
      await createAll(storage, ['/a']);
      await Promise.all(writes);
      assert.deepEqual(
        last.events.map(({ key }) => key),
        ['/a', '/b'],
      );
      assert.deepEqual(
        opened.events.map(({ key }) => key),
        ['/a', '/b'],
      );
    });

    test('a listener that fails loses its own watch and harms no one else', async (t) => {
      const storage = await open(t);
      const [ends, other] = [new WatchLog(), new WatchLog()];
      const onEvents = (): void => {
        throw new Error('cannot follow');
      };
      await storage.watch('/', 0, { onEvents, onEnd: (error) => ends.onEnd(error) });
      await storage.watch('/', 0, other);
      await createAll(storage, ['/a', '/b']);
      assert.deepEqual(
        other.events.map(({ key }) => key),
        ['/a', '/b'],
      );
      assert.deepEqual(
        ends.ends.map((error) => error?.code),
        ['Unavailable'],
      );
    });

    test('a watch on a prefix that is no text or after what is no revision is refused', async (t) => {
      const storage = await open(t);
      await assert.rejects(storage.watch('/\ud83d', 0, new WatchLog()), RangeError);
      await assert.rejects(storage.watch('/', -1, new WatchLog()), RangeError);
      await assert.rejects(storage.watch('/', Number.NaN, new WatchLog()), RangeError);
    });
  });
}

/** Writes a little history and gives what a watch from the start hears of it and of everything later. */
async function watchedHistory(storage: Storage): Promise<WatchLog> {
  const log = new WatchLog();
  await storage.watch('/', 0, log);
  const [a, b] = await createAll(storage, ['/a', '/b/1', '/b/2']);
  const { revision: updated } = await storage.update('/b/1', bytes('new'), b!);
  await storage.delete('/a', a!);
  const { revision: again } = await storage.create('/a', bytes('again'));
  const { revision: newer } = await storage.update('/b/1', bytes('newer'), updated);
  await storage.delete('/b/1', newer);
  await storage.update('/a', bytes('last'), again);
  return log;
}

function revisionsAfter(log: WatchLog, after: number): number[] {
  return log.events.map(({ revision }) => revision).filter((revision) => revision > after);
}
