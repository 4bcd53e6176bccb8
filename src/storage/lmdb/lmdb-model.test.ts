import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelSuite } from '../suite/model-suite.ts';
import { openLmdbStorage } from './lmdb-storage.ts';

modelSuite('LMDB', {
  runs: 60,
  async open(options) {
    const path = await mkdtemp(join(tmpdir(), 'wherry-lmdb-'));
    const open = () => openLmdbStorage({ path, ...options });
    return { storage: await open(), reopen: open, clear: () => rm(path, { recursive: true }) };
  },
});
