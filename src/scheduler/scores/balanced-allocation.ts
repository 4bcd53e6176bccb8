import { best, type Score } from './score.ts';

/** Prefers nodes on which processor time and memory would be used up alike, so that neither is left over alone. */
export const balancedAllocation: Score = {
  name: 'balanced-allocation',
  weight: 1,
  rateFor: (pod) => (node) => {
    const cpu = (node.likelyCpu + pod.likelyCpu) / node.offer.cpu;
    const memory = (node.likelyMemory + pod.likelyMemory) / node.offer.memory;
    // A node without any of it divides by zero, which counts as more than all.
    return cpu < 1 && memory < 1 ? Math.floor(best - best * Math.abs(cpu - memory)) : 0;
  },
};
