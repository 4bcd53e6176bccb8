import { after, before, describe } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openEtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { modelSuite, type ModelledOptions } from '../../src/storage/suite/model-suite.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();

describe('with a real etcd', { skip }, () => {
  let etcd: EtcdProcess;
  let runs = 0;
  before(async () => {
    etcd = await EtcdProcess.start(program);
    // Runs share it, so that each begins where the one before ended; the first must not begin with an etcd that is at no revision at all.
    const storage = await openEtcdStorage({ endpoints: [etcd.url], clock: systemClock });
    await storage.create('/first', Buffer.from('first'));
    await storage.close();
  });
  after(() => etcd.remove());

  modelSuite('etcd', {
    runs: 60,
    ordersKeys: false,
    open: async ({ clock, history }: ModelledOptions) => {
      const prefix = `/run-${runs++}/`;
      const open = (): Promise<Storage> =>
        openEtcdStorage({ endpoints: [etcd.url], prefix, clock, networkClock: systemClock, history });
      return { storage: await open(), reopen: open, clear: async () => {} };
    },
  });
});
