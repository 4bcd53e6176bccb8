import type { OfferingNode } from '../node-state.ts';
import type { PodNeeds } from '../pod-needs.ts';
import type { SpreadCounts } from '../spreading.ts';

/** The best that a score gives; the least is 0. */
export const best = 10;

/** What a score may look at besides the nodes. */
export interface ScoreContext {
  readonly spreading: SpreadCounts;
}

/** `index` is the place of the node among those that were given. */
export type Rate = (node: OfferingNode, index: number) => number;

/** One reason for which a node suits a pod more than another. */
export interface Score {
  readonly name: string;
  /** How much it counts beside others. */
  readonly weight: number;
  /**
   * What rates each of these nodes, from 0 to `best`; nothing when all are equal in this respect. Only whole numbers, as in the reference:
   * nodes that hardly differ are taken in turn.
   */
  rateFor(pod: PodNeeds, nodes: readonly OfferingNode[], context: ScoreContext): Rate | undefined;
}
