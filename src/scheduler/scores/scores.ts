import { balancedAllocation } from './balanced-allocation.ts';
import { leastRequested } from './least-requested.ts';
import { preferredAffinity } from './preferred-affinity.ts';
import type { Score } from './score.ts';
import { spread } from './spread.ts';
import { untoleratedTaints } from './untolerated-taints.ts';

/** The node with the largest weighted sum is taken. */
export const scores: readonly Score[] = [
  leastRequested,
  balancedAllocation,
  spread,
  preferredAffinity,
  untoleratedTaints,
];
