import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxKeyBytes } from '../keys.ts';
import { bytes, createAll, entryText, failsWith } from './expectations.ts';
import type { OpenStorage } from './storage-suite.ts';

export function writeSuite(open: OpenStorage): void {
  describe('writes', () => {
    test('an empty storage is at revision 0', async (t) => {
      const storage = await open(t);
      assert.equal(await storage.revision(), 0);
      assert.equal(await storage.get('/a'), undefined);
    });

    test('a created entry is read back with the revision of its write', async (t) => {
      const storage = await open(t);
      const { revision } = await storage.create('/a', bytes('one'));
      assert.ok(revision > 0);
      assert.equal(await storage.revision(), revision);
      assert.equal(entryText(await storage.get('/a')), `/a=one@${revision}`);
    });

    test('every write has a revision of its own, greater than all before', async (t) => {
      const storage = await open(t);
      const { revision: created } = await storage.create('/a', bytes('one'));
      const { revision: updated } = await storage.update('/a', bytes('two'), created);
      const { revision: other } = await storage.create('/b', bytes('one'));
      const { revision: deleted } = await storage.delete('/a', updated);
      assert.ok(created < updated && updated < other && other < deleted);
      assert.equal(await storage.revision(), deleted);
      assert.equal(await storage.get('/a'), undefined);
    });

    test('an existing key is not created again', async (t) => {
      const storage = await open(t);
      const { revision } = await storage.create('/a', bytes('one'));
      await failsWith('Exists', storage.create('/a', bytes('two')));
      assert.equal(entryText(await storage.get('/a')), `/a=one@${revision}`);
    });

    test('a deleted key can be created anew', async (t) => {
      const storage = await open(t);
      const { revision } = await storage.create('/a', bytes('one'));
      await storage.delete('/a', revision);
      const { revision: again } = await storage.create('/a', bytes('two'));
      assert.equal(entryText(await storage.get('/a')), `/a=two@${again}`);
    });

    test('a missing key is neither updated nor deleted', async (t) => {
      const storage = await open(t);
      await failsWith('NotFound', storage.update('/a', bytes('one'), 1));
      await failsWith('NotFound', storage.delete('/a', 1));
      assert.equal(await storage.revision(), 0);
    });

    test('an update or delete that expects another revision is a conflict and changes nothing', async (t) => {
      const storage = await open(t);
      const { revision: first } = await storage.create('/a', bytes('one'));
      const { revision: second } = await storage.update('/a', bytes('two'), first);
      for (const expected of [first, second + 1, 0, Number.NaN]) {
        await failsWith('Conflict', storage.update('/a', bytes('three'), expected));
        await failsWith('Conflict', storage.delete('/a', expected));
      }
      assert.equal(await storage.revision(), second);
      assert.equal(entryText(await storage.get('/a')), `/a=two@${second}`);
    });

    test('of concurrent updates that expect the same revision exactly one succeeds', async (t) => {
      const storage = await open(t);
      const { revision } = await storage.create('/a', bytes('start'));
      const updates = Array.from({ length: 20 }, (_, index) => storage.update('/a', bytes(`${index}`), revision));
      const results = await Promise.allSettled(updates);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    test('of concurrent creates of one key exactly one succeeds', async (t) => {
      const storage = await open(t);
      const creates = Array.from({ length: 20 }, (_, index) => storage.create('/a', bytes(`${index}`)));
      const results = await Promise.allSettled(creates);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    test('writes that are started together take effect in the order in which they were started', async (t) => {
      const storage = await open(t);
      const { revision } = await storage.create('/a', bytes('one'));
      const deleting = storage.delete('/a', revision);
      const creating = storage.create('/a', bytes('two'));
      assert.ok((await deleting).revision < (await creating).revision);
      assert.equal(entryText(await storage.get('/a')), `/a=two@${(await creating).revision}`);
    });

    test('many concurrent writes all get revisions of their own', async (t) => {
      const storage = await open(t);
      const keys = Array.from({ length: 300 }, (_, index) => `/many/${index}`);
      const written = await Promise.all(keys.map((key) => storage.create(key, bytes(key))));
      assert.equal(new Set(written.map(({ revision }) => revision)).size, keys.length);
      assert.equal((await storage.list('/many/')).entries.length, keys.length);
    });

    test('values may be empty, large, any bytes and a part of a larger buffer', async (t) => {
      const storage = await open(t);
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      const large = Buffer.alloc(3_000_000, 'large');
      const values: Uint8Array[] = [new Uint8Array(), everyByte, everyByte.subarray(10, 20), large];
      for (const [index, value] of values.entries()) await storage.create(`/${index}`, value);
      const { entries } = await storage.list('/');
      for (const [index, value] of values.entries()) {
        const entry = await storage.get(`/${index}`);
        assert.ok(entry && Buffer.isBuffer(entry.value) && entry.value.equals(value));
        assert.ok(entries[index]?.value.equals(value));
      }
    });

    test('a value that was read stays as it is when the key is written again', async (t) => {
      const storage = await open(t);
      let [revision] = await createAll(storage, ['/a']);
      const read = await storage.get('/a');
      const listed = (await storage.list('/')).entries[0];
      for (let round = 0; round < 50; round++) {
        ({ revision } = await storage.update('/a', bytes(`${round}`), revision!));
        await storage.list('/');
      }
      assert.equal(read?.value.toString(), '/a');
      assert.equal(listed?.value.toString(), '/a');
    });

    test('a key that cannot be stored is refused with a RangeError', async (t) => {
      const storage = await open(t);
      const tooLong = 'é'.repeat(maxKeyBytes / 2 + 1);
      for (const key of ['', tooLong, '/half-\ud83d', '/\udc00-half']) {
        await assert.rejects(storage.create(key, bytes('value')), RangeError);
        await assert.rejects(storage.update(key, bytes('value'), 1), RangeError);
        await assert.rejects(storage.delete(key, 1), RangeError);
      }
      for (const key of ['', tooLong]) assert.equal(await storage.get(key), undefined);
      assert.equal(await storage.revision(), 0);
    });

    test('the longest key is stored', async (t) => {
      const storage = await open(t);
      const key = 'é'.repeat(maxKeyBytes / 2);
      const [revision] = await createAll(storage, [key]);
      assert.equal((await storage.get(key))?.revision, revision);
      assert.equal((await storage.list(key)).entries.length, 1);
      assert.equal((await storage.list(`${key}x`)).entries.length, 0);
      assert.equal((await storage.list('', { after: key })).entries.length, 0);
      assert.equal((await storage.list('', { after: `${key}x` })).entries.length, 0);
      assert.equal((await storage.list('', { after: `${key.slice(1)}xxx` })).entries.length, 1);
    });
  });
}
