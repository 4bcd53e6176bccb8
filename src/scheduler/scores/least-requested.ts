import { best, type Score } from './score.ts';

/** Prefers nodes of which much is left, the pod being there. */
export const leastRequested: Score = {
  name: 'least-requested',
  weight: 1,
  rateFor: (pod) => (node) => {
    const cpu = rateLeft(node.likelyCpu + pod.likelyCpu, node.offer.cpu);
    const memory = rateLeft(node.likelyMemory + pod.likelyMemory, node.offer.memory);
    return Math.floor((cpu + memory) / 2);
  },
};

function rateLeft(used: number, all: number): number {
  return used < all ? Math.floor((best * (all - used)) / all) : 0;
}
