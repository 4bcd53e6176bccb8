import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { SteppedClock } from '../../src/base/stepped-clock.ts';
import { openEtcdStorage, type EtcdStorage, type EtcdStorageOptions } from '../../src/storage/etcd/etcd-storage.ts';
import { bytes, createAll, failsWith, keysOf, WatchLog } from '../../src/storage/suite/expectations.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();

describe('storages that share an etcd', { skip }, () => {
  let etcd: EtcdProcess;
  before(async () => {
    etcd = await EtcdProcess.start(program);
  });
  after(() => etcd.remove());

  async function open(t: TestContext, options: Partial<EtcdStorageOptions> = {}): Promise<EtcdStorage> {
    const storage = await openEtcdStorage({ endpoints: [etcd.url], clock: systemClock, ...options });
    t.after(() => storage.close());
    return storage;
  }

  test('hear of each other before a read sees the change', async (t) => {
    const [one, two] = [await open(t), await open(t)];
    const log = new WatchLog();
    await two.watch('/', await two.revision(), log);
    for (let round = 0; round < 50; round++) {
      const { revision } = await one.create(`/heard/${round}`, bytes('x'));
      const seen = round % 2 === 0 ? await two.revision() : (await two.get(`/heard/${round}`))?.revision;
      assert.equal(seen, revision);
      assert.equal(log.events.at(-1)?.revision, revision);
    }
  });

  test('with prefixes of their own see nothing of each other', async (t) => {
    const [one, two] = [await open(t, { prefix: '/one' }), await open(t, { prefix: '/two' })];
    const log = new WatchLog();
    await one.watch('', await one.revision(), log);
    await createAll(two, ['/a', '/b']);
    await createAll(one, ['/b']);
    assert.deepEqual([keysOf(await one.list('')), keysOf(await two.list(''))], [['/b'], ['/a', '/b']]);
    assert.deepEqual(
      log.events.map(({ key }) => key),
      ['/b'],
    );
    assert.equal(await one.revision(), await two.revision());
  });

  test('resume watches from before they were opened, thousands of changes back', async (t) => {
    const writer = await open(t);
    const start = await writer.revision();
    const log = new WatchLog();
    await writer.watch('/many/', start, log);
    const keys = Array.from({ length: 2_500 }, (_, index) => `/many/${index}`);
    await Promise.all(keys.map((key) => writer.create(key, bytes(key))));
    const late = await open(t);
    const logs = [new WatchLog(), new WatchLog()];
    await Promise.all(logs.map((each, index) => late.watch('/many/', start + index * 1_000, each)));
    for (const [index, each] of logs.entries()) {
      assert.deepEqual(
        each.texts,
        log.texts.filter((_, place) => log.events[place]!.revision > start + index * 1_000),
      );
    }
  });

  test('lists are whole however long they are', async (t) => {
    const storage = await open(t, { prefix: '/long' });
    const keys = Array.from({ length: 4_100 }, (_, index) => `/${String(index).padStart(5, '0')}`);
    await Promise.all(keys.map((key) => storage.create(key, bytes(key))));
    const listing = await storage.list('/');
    assert.deepEqual([keysOf(listing), listing.remaining], [keys, 0]);
    const part = await storage.list('/', { limit: 3_000, after: keys[99] });
    assert.deepEqual([keysOf(part), part.remaining], [keys.slice(100, 3_100), 1_000]);
  });

  test('tell etcd to forget what is beyond the bounds, and do not mind that another did so before', async (t) => {
    const clock = new SteppedClock();
    const history = { count: 10, bytes: 1e9, ageMs: 1e12 };
    const bounded = { clock, networkClock: systemClock, history };
    const storages = [await open(t, bounded), await open(t, bounded)];
    const plain = await open(t);
    const revisions = await createAll(
      plain,
      Array.from({ length: 30 }, (_, index) => `/bounded/${index}`),
    );
    const oldest = revisions.at(-11)!;
    for (const storage of storages) await storage.revision();
    await plain.list('/', { revision: oldest - 1 });
    clock.step(5 * 60_000);
    while (await isReadable(plain, oldest - 1)) continue;
    assert.equal((await plain.list('/bounded/', { revision: oldest })).entries.length, 20);
    await failsWith('Compacted', plain.list('/bounded/', { revision: oldest - 1 }));
    await failsWith('Compacted', (await open(t)).watch('/', oldest - 1, new WatchLog()));
    await createAll(storages[1]!, ['/bounded/after']);
  });

  test('hold what ordinary tools read', async (t) => {
    const storage = await open(t);
    await storage.create('/registry/things/a', bytes('{"a":1}'));
    const ask = { key: Buffer.from('/registry/things/a').toString('base64') };
    const body = JSON.stringify(ask);
    const answer = await fetch(new URL('/v3/kv/range', etcd.url), { method: 'POST', body });
    const { kvs } = (await answer.json()) as { kvs: { value: string }[] };
    assert.equal(Buffer.from(kvs[0]!.value, 'base64').toString(), '{"a":1}');
  });
});

async function isReadable(storage: EtcdStorage, revision: number): Promise<boolean> {
  return storage.list('/', { revision, limit: 1 }).then(
    () => true,
    () => false,
  );
}
