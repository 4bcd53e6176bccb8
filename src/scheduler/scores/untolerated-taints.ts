import type { OfferingNode } from '../node-state.ts';
import type { PodNeeds } from '../pod-needs.ts';
import { isTolerated } from '../taint.ts';
import { best, type Score } from './score.ts';

/** Prefers nodes that ask to be left alone less: with fewer taints of the soft sort that the pod does not tolerate. */
export const untoleratedTaints: Score = {
  name: 'untolerated-taints',
  weight: 1,
  rateFor(pod, nodes) {
    let most = 0;
    for (const node of nodes) most = Math.max(most, untolerated(pod, node));
    return most === 0 ? undefined : (node) => Math.floor((best * (most - untolerated(pod, node))) / most);
  },
};

function untolerated({ tolerations }: PodNeeds, { offer: { taints } }: OfferingNode): number {
  if (!taints?.length) return 0;
  return taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, tolerations)).length;
}
