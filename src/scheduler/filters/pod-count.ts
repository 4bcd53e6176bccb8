import type { Filter } from './filter.ts';

/** A node takes so many pods; one that does not say how many takes none, as in the reference. */
export const podCount: Filter = {
  name: 'pod-count',
  refusal: (_pod, { pods, offer }) => (pods + 1 > offer.pods ? 'with too many pods' : undefined),
};
