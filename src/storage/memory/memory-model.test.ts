import { modelSuite } from '../suite/model-suite.ts';
import { openMemoryStorage } from './memory-storage.ts';

modelSuite('memory', {
  runs: 500,
  open: async (options) => ({ storage: openMemoryStorage(options), clear: async () => {} }),
});
