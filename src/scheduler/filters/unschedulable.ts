import type { Filter } from './filter.ts';

export const unschedulable: Filter = {
  name: 'unschedulable',
  refusal: (_pod, { offer }) => (offer.isUnschedulable ? 'marked unschedulable' : undefined),
};
