import type { WriteOptions } from '../registry/write.ts';

/** What a cluster writes itself is written like everything else, under this name. */
export const ownWrite: WriteOptions = {
  user: { name: 'system:apiserver', groups: ['system:masters'] },
  dryRun: false,
  fieldValidation: 'Strict',
};
