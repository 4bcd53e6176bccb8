import { isTolerated } from '../taint.ts';
import type { Filter } from './filter.ts';

/** Nodes keep pods off that do not tolerate their taints. */
export const taints: Filter = {
  name: 'taints',
  refusal({ tolerations }, { offer }) {
    if (!offer.taints) return 'with taints that cannot be read';
    if (offer.taints.length === 0) return undefined;
    const isKeptOff = offer.taints.some((taint) => taint.effect === 'NoSchedule' && !isTolerated(taint, tolerations));
    return isKeptOff ? 'with taints that the pod does not tolerate' : undefined;
  },
};
