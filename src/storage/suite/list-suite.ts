import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytes, createAll, entryText, entryTexts, failsWith, keysOf, WatchLog } from './expectations.ts';
import type { OpenStorage } from './storage-suite.ts';

export function listSuite(open: OpenStorage): void {
  describe('lists', () => {
    test('a list holds what is under the prefix and nothing beside it', async (t) => {
      const storage = await open(t);
      await createAll(storage, ['/b/1', '/a', '/b', '/b/2', '/b0', '/c', '/b/']);
      assert.deepEqual(keysOf(await storage.list('/b/')), ['/b/', '/b/1', '/b/2']);
      assert.deepEqual(keysOf(await storage.list('/b')), ['/b', '/b/', '/b/1', '/b/2', '/b0']);
      assert.deepEqual(keysOf(await storage.list('/none')), []);
    });

    test('an empty prefix lists everything', async (t) => {
      const storage = await open(t);
      assert.deepEqual(await storage.list(''), { entries: [], revision: 0, remaining: 0 });
      await createAll(storage, ['b', '\0', 'a']);
      assert.deepEqual(keysOf(await storage.list('')), ['\0', 'a', 'b']);
    });

    test('a list says what it is the state of', async (t) => {
      const storage = await open(t);
      const [first] = await createAll(storage, ['/a', '/b']);
      const { revision } = await storage.delete('/a', first!);
      assert.equal((await storage.list('/none')).revision, revision);
    });

    test('keys are in the order of their UTF-8 bytes', async (t) => {
      const storage = await open(t);
      const keys = [
        '/\u{1f600}',
        '/\uffee',
        '/\ue000',
        '/z',
        '/é',
        '/\u{10ffff}',
        '/\0',
        '/a b',
        '/\u0001',
        '/%',
        '/\ud7ff',
      ];
      await createAll(storage, keys);
      const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.notDeepEqual(sorted, keys.toSorted());
      assert.deepEqual(keysOf(await storage.list('/')), sorted);
      for (const [index, key] of sorted.entries()) {
        assert.deepEqual(keysOf(await storage.list('/', { after: key })), sorted.slice(index + 1));
        assert.equal(entryText(await storage.get(key))?.startsWith(`${key}=`), true);
        assert.deepEqual(keysOf(await storage.list(key)), [key]);
      }
    });

    test('keys that begin with any character are listed', async (t) => {
      const storage = await open(t);
      const keys = ['\0', '\u0001', '\u0005', ' ', '~', 'ÿ', '\uffff', '\u{10ffff}'];
      await createAll(storage, keys);
      assert.deepEqual(keysOf(await storage.list('')), keys);
    });

    test('parts of a list, each behind the last key of the one before, are the whole', async (t) => {
      const storage = await open(t);
      const keys = Array.from({ length: 25 }, (_, index) => `/list/${String(index).padStart(2, '0')}`);
      await createAll(storage, [...keys, '/a', '/z']);
      const collected: string[] = [];
      let after: string | undefined;
      for (let remaining = keys.length; remaining > 0;) {
        const part = await storage.list('/list/', { limit: 4, after });
        assert.equal(part.entries.length, Math.min(4, remaining));
        remaining -= part.entries.length;
        assert.equal(part.remaining, remaining);
        collected.push(...keysOf(part));
        after = collected.at(-1);
      }
      assert.deepEqual(collected, keys);
    });

    test('a limit that is exactly reached leaves nothing', async (t) => {
      const storage = await open(t);
      await createAll(storage, ['/a/1', '/a/2', '/b']);
      assert.equal((await storage.list('/a/', { limit: 2 })).remaining, 0);
      assert.equal((await storage.list('/a/', { limit: 1 })).remaining, 1);
      assert.equal((await storage.list('/a/', { limit: 3 })).remaining, 0);
    });

    test('a start behind keys that are not there, or outside of the prefix, is taken by its place', async (t) => {
      const storage = await open(t);
      await createAll(storage, ['/b/1', '/b/3', '/c']);
      assert.deepEqual(keysOf(await storage.list('/b/', { after: '/b/2' })), ['/b/3']);
      assert.deepEqual(keysOf(await storage.list('/b/', { after: '/a' })), ['/b/1', '/b/3']);
      const behind = await storage.list('/b/', { after: '/b0', limit: 1 });
      assert.deepEqual([behind.entries, behind.remaining], [[], 0]);
      assert.deepEqual(keysOf(await storage.list('/b/', { after: '' })), ['/b/1', '/b/3']);
    });

    test('a prefix or a start that is longer than any key is taken by its place', async (t) => {
      const storage = await open(t);
      await createAll(storage, ['/a', '/z']);
      const long = `/${'m'.repeat(5_000)}/`;
      assert.deepEqual(await storage.list(long, { limit: 1 }), {
        entries: [],
        revision: await storage.revision(),
        remaining: 0,
      });
      assert.deepEqual(keysOf(await storage.list('/', { after: long, limit: 1 })), ['/z']);
      const log = new WatchLog();
      await storage.watch(long, 0, log);
      assert.deepEqual(log.events, []);
    });

    test('a limit that is no positive whole number and a prefix that is no text are refused', async (t) => {
      const storage = await open(t);
      for (const limit of [0, -1, 1.5, Number.NaN]) await assert.rejects(storage.list('/', { limit }), RangeError);
      await assert.rejects(storage.list('/\ud83d'), RangeError);
      for (const revision of [-1, 0.5, Number.NaN]) {
        await assert.rejects(storage.list('/', { revision }), RangeError);
        await assert.rejects(storage.get('/a', { revision }), RangeError);
      }
    });
  });

  describe('reads at a revision', () => {
    test('an old revision shows what was there then', async (t) => {
      const storage = await open(t);
      const [a, b, c] = await createAll(storage, ['/a', '/b', '/c']);
      const { revision: updated } = await storage.update('/a', bytes('new'), a!);
      const { revision: deleted } = await storage.delete('/b', b!);
      const { revision: again } = await storage.create('/b', bytes('again'));
      const at = async (revision: number) => entryTexts(await storage.list('/', { revision }));
      assert.deepEqual(await at(0), []);
      assert.deepEqual(await at(b!), [`/a=/a@${a}`, `/b=/b@${b}`]);
      assert.deepEqual(await at(updated), [`/a=new@${updated}`, `/b=/b@${b}`, `/c=/c@${c}`]);
      assert.deepEqual(await at(deleted), [`/a=new@${updated}`, `/c=/c@${c}`]);
      assert.deepEqual(await at(again), [`/a=new@${updated}`, `/b=again@${again}`, `/c=/c@${c}`]);
      assert.equal((await storage.list('/', { revision: b })).revision, b);
      assert.equal(entryText(await storage.get('/a', { revision: c })), `/a=/a@${a}`);
      assert.equal(entryText(await storage.get('/b', { revision: deleted })), undefined);
      assert.equal(entryText(await storage.get('/b', { revision: updated })), `/b=/b@${b}`);
      assert.equal(entryText(await storage.get('/c', { revision: b })), undefined);
      assert.equal(entryText(await storage.get('/c', { revision: again })), `/c=/c@${c}`);
      assert.equal(await storage.get('/none', { revision: b }), undefined);
    });

    test('a list that is continued at its revision does not see what was written since', async (t) => {
      const storage = await open(t);
      const keys = Array.from({ length: 9 }, (_, index) => `/k/${index}`);
      const revisions = await createAll(storage, keys);
      const first = await storage.list('/k/', { limit: 3 });
      await storage.delete('/k/1', revisions[1]!);
      await storage.delete('/k/4', revisions[4]!);
      await storage.delete('/k/8', revisions[8]!);
      await storage.update('/k/5', bytes('new'), revisions[5]!);
      await createAll(storage, ['/k/0a', '/k/4a', '/k/9', '/m']);
      const options = { limit: 3, revision: first.revision };
      const second = await storage.list('/k/', { ...options, after: '/k/2' });
      assert.deepEqual(
        entryTexts(second),
        [3, 4, 5].map((index) => `/k/${index}=/k/${index}@${revisions[index]}`),
      );
      assert.equal(second.remaining, 3);
      const third = await storage.list('/k/', { ...options, after: '/k/5' });
      assert.deepEqual(keysOf(third), ['/k/6', '/k/7', '/k/8']);
      assert.equal(third.remaining, 0);
      assert.equal(third.revision, first.revision);
    });

    test('a revision yet to come is refused', async (t) => {
      const storage = await open(t);
      const [revision] = await createAll(storage, ['/a']);
      await failsWith('FutureRevision', storage.get('/a', { revision: revision! + 1 }));
      await failsWith('FutureRevision', storage.list('/', { revision: revision! + 1 }));
    });
  });
}
