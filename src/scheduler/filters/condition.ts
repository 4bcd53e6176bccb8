import type { Filter } from './filter.ts';

/** Nodes that do not feel well get no new pods. */
export const condition: Filter = {
  name: 'condition',
  refusal(_pod, { offer }) {
    if (!offer.isReady) return 'not ready';
    return offer.hasDiskSpace ? undefined : 'out of disk space';
  },
};
