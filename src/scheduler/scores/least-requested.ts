import { best, type Score } from './score.ts';

/** Prefers nodes of which much is left, the pod being there. */
export const leastRequested: Score = {
  name: 'least-requested',
  weight: 1,
  rateFor: (pod) => (node) =>
    (best * (shareLeft(node.likelyCpu + pod.likelyCpu, node.offer.cpu) +
      shareLeft(node.likelyMemory + pod.likelyMemory, node.offer.memory))) / 2, // prettier-ignore
};

function shareLeft(used: number, all: number): number {
  return used < all ? (all - used) / all : 0;
}
