import { describe } from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openEtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { boundsSuite } from '../../src/storage/suite/bounds-suite.ts';
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
});
