import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openEtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { boundsSuite } from '../../src/storage/suite/bounds-suite.ts';
import { bytes, failsWith } from '../../src/storage/suite/expectations.ts';
import { storageSuite } from '../../src/storage/suite/storage-suite.ts';
import type { OpenOptions } from '../../src/storage/suite/storage-suite.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();

/** An etcd for each test: only one that nobody ever wrote to is empty. */
async function open(t: TestContext, { clock = systemClock, history }: OpenOptions = {}): Promise<Storage> {
  const etcd = await EtcdProcess.start(program);
  t.after(() => etcd.remove());
  const storage = await openEtcdStorage({ endpoints: [etcd.url], clock, networkClock: systemClock, history });
  t.after(() => storage.close());
  return storage;
}

describe('with a real etcd', { skip }, () => {
  storageSuite('etcd', open);
  boundsSuite('etcd', open);

  // The first is refused by etcd, the other one already by what reads its requests.
  for (const mebibytes of [10.2, 12]) {
    test(`a value of ${mebibytes} MiB is refused where etcd takes 10`, async (t) => {
      const storage = await open(t);
      await failsWith('TooLarge', storage.create('/a', Buffer.alloc(mebibytes * 1024 * 1024)));
      const { revision } = await storage.create('/a', bytes('small'));
      await failsWith('TooLarge', storage.update('/a', Buffer.alloc(mebibytes * 1024 * 1024), revision));
    });
  }
});
