import type { OfferingNode } from '../node-state.ts';
import { isTolerated } from '../taint.ts';
import { best, type Score } from './score.ts';

/** Prefers nodes that ask to be left alone less: with fewer taints of the soft sort that the pod does not tolerate. */
export const untoleratedTaints: Score = {
  name: 'untolerated-taints',
  weight: 1,
  rateFor({ tolerations }, nodes) {
    const countOn = ({ offer }: OfferingNode): number =>
      (offer.taints ?? []).filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, tolerations))
        .length;
    const most = nodes.reduce((most, node) => Math.max(most, countOn(node)), 0);
    return most === 0 ? undefined : (node) => best * (1 - countOn(node) / most);
  },
};
