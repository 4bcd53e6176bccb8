import type { OfferingNode } from '../node-state.ts';
import type { PodNeeds } from '../pod-needs.ts';

/** One reason for which a pod cannot be put on a node. */
export interface Filter {
  readonly name: string;
  /** Whether there is anything to look at for this pod; always when absent. */
  concerns?(pod: PodNeeds): boolean;
  /** What keeps the pod off the node, in words that can follow a number of nodes; nothing when it can go there. */
  refusal(pod: PodNeeds, node: OfferingNode): string | undefined;
}
