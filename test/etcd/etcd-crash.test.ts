import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openEtcdStorage, type EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { StorageError } from '../../src/storage/storage.ts';
import { bytes, createAll, eventText, failsWith, WatchLog } from '../../src/storage/suite/expectations.ts';
import { freePort } from '../e2e/free-port.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();

describe('an etcd that fails', { skip }, () => {
  let etcd: EtcdProcess;
  before(async () => {
    etcd = await EtcdProcess.start(program);
  });
  after(() => etcd.remove());

  async function open(t: TestContext, endpoints: readonly URL[] = [etcd.url]): Promise<EtcdStorage> {
    const storage = await openEtcdStorage({ endpoints, clock: systemClock, timeoutMs: 3_000 });
    t.after(() => storage.close());
    return storage;
  }

  test('loses no answered write when it is killed under load, and watches miss nothing and hear nothing twice', async (t) => {
    const storage = await open(t);
    const [log, other] = [new WatchLog(), new WatchLog()];
    const start = await storage.revision();
    await storage.watch('/load/', start, log);
    const elsewhere = await open(t);
    await elsewhere.watch('/load/', start, other);
    const answered = new Map<string, number>();
    for (let round = 0; round < 3; round++) {
      const load = writeUntil(storage, round, answered);
      await load.started;
      await etcd.kill();
      await load.ended;
      await etcd.run();
    }
    const { revision: last } = await whenBack(() => storage.create('/load/last', bytes('last')));
    for (const [key, revision] of answered) assert.equal((await storage.get(key))?.revision, revision);
    await elsewhere.revision();
    for (const heard of [log, other]) {
      const revisions = heard.events.map(({ revision }) => revision);
      assert.deepEqual(
        revisions,
        [...new Set(revisions)].sort((a, b) => a - b),
      );
      assert.equal(revisions.at(-1), last);
      const created = new Map(heard.events.map(({ key, revision }) => [key, revision]));
      for (const [key, revision] of answered) assert.equal(created.get(key), revision);
      assert.deepEqual(heard.ends, []);
    }
    assert.deepEqual(log.texts, other.events.map(eventText));
    const { entries } = await storage.list('/load/');
    assert.equal(log.events.length, entries.length);
  });

  test('is Unavailable while it is gone, in bounded time, and serves again when it is back', async (t) => {
    const storage = await open(t);
    const { revision } = await storage.create('/gone', bytes('here'));
    await etcd.kill();
    const calls = [
      storage.get('/gone'),
      storage.list('/'),
      storage.revision(),
      storage.update('/gone', bytes('x'), revision),
      storage.watch('/', 0, new WatchLog()),
    ];
    await Promise.all(calls.map((call) => failsWith('Unavailable', call)));
    await etcd.run();
    await whenBack(() => storage.get('/gone'));
    assert.equal((await storage.get('/gone'))?.revision, revision);
  });

  test('that is closed while it is gone, closes', async (t) => {
    const storage = await open(t);
    await etcd.kill();
    const reading = storage.get('/gone');
    const refused = assert.rejects(reading, StorageError);
    await storage.close();
    await refused;
    await etcd.run();
  });

  test('is not even opened when it is not there, and the error says where it was looked for', async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}`);
    const opening = openEtcdStorage({ endpoints: [url], clock: systemClock, timeoutMs: 300 });
    await assert.rejects(opening, (error) => {
      assert.ok(error instanceof StorageError && error.code === 'Unavailable');
      assert.match(error.message, new RegExp(`cannot be reached at ${url.origin}: .*ECONNREFUSED`));
      return true;
    });
  });

  test('does no harm as long as another member serves', async (t) => {
    const nobody = new URL(`http://127.0.0.1:${await freePort()}`);
    const storage = await open(t, [nobody, etcd.url]);
    const [revision] = await createAll(storage, ['/failover']);
    assert.equal((await storage.get('/failover'))?.revision, revision);
  });

  test('that comes back with nothing ends watches with Compacted, and is served as it is', async (t) => {
    const storage = await open(t);
    await createAll(storage, ['/lost/a', '/lost/b']);
    const log = new WatchLog();
    await storage.watch('/lost/', await storage.revision(), log);
    await etcd.kill();
    await etcd.empty();
    await etcd.run();
    await whenBack(() => storage.revision());
    assert.deepEqual(
      log.ends.map((error) => error?.code),
      ['Compacted'],
    );
    assert.deepEqual((await storage.list('/')).entries, []);
    const again = new WatchLog();
    await storage.watch('/', await storage.revision(), again);
    const [revision] = await createAll(storage, ['/new']);
    assert.deepEqual(again.texts, [`created /new=/new@${revision}`]);
  });
});

interface Load {
  /** Resolves when enough is written for a crash to hit something. */
  readonly started: Promise<void>;
  readonly ended: Promise<unknown>;
}

/** Creates keys from eight writers until storage fails; notes the revision of every answer. */
function writeUntil(storage: EtcdStorage, round: number, answered: Map<string, number>): Load {
  let begin!: () => void;
  const started = new Promise<void>((resolve) => (begin = resolve));
  const enough = answered.size + 200;
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; ; index++) {
      const key = `/load/${round}-${writer}-${index}`;
      try {
        answered.set(key, (await storage.create(key, bytes(key))).revision);
      } catch (error) {
        assert.ok(error instanceof StorageError && error.code === 'Unavailable', String(error));
        return;
      }
      if (answered.size >= enough) begin();
    }
  };
  return { started, ended: Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer))) };
}

/** Tries until etcd is found again. */
async function whenBack<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StorageError && error.code === 'Unavailable')) throw error;
    }
  }
}
