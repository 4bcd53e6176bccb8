import type { ClusterState } from './cluster-state.ts';
import { filters } from './filters/filters.ts';
import type { OfferingNode } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';
import { scores } from './scores/scores.ts';

/** The node that suits a pod best, or why there is none. */
export type NodeChoice =
  | { readonly node: OfferingNode }
  | {
      readonly node: undefined;
      /** How many nodes were looked at. */
      readonly nodes: number;
      /** How many of them were refused for each reason. */
      readonly refusals: ReadonlyMap<string, number>;
    };

/** Chooses nodes for pods. Nodes that suit equally well are taken in turn. */
export class NodeChooser {
  readonly #state: ClusterState;
  #turn = 0;
  #totals = new Float64Array(0);

  constructor(state: ClusterState) {
    this.#state = state;
  }

  choose(pod: PodNeeds): NodeChoice {
    const { nodes } = this.#state;
    const refusals = new Map<string, number>();
    const fitting = fittingNodes(pod, nodes, refusals);
    if (fitting.length === 0) return { node: undefined, nodes: nodes.length, refusals };
    return { node: this.#best(pod, fitting) };
  }

  #best(pod: PodNeeds, nodes: readonly OfferingNode[]): OfferingNode {
    const totals = this.#rate(pod, nodes);
    let most = -Infinity;
    let ties = 0;
    for (let i = 0; i < nodes.length; i++) {
      const total = totals[i]!;
      if (total > most) [most, ties] = [total, 1];
      else if (total === most) ties++;
    }
    let skipped = this.#turn++ % ties;
    return nodes.find((_node, i) => totals[i] === most && skipped-- === 0)!;
  }

  /** The weighted sum for each node; good until the next call, which uses the same memory. */
  #rate(pod: PodNeeds, nodes: readonly OfferingNode[]): Float64Array {
    if (this.#totals.length < nodes.length) this.#totals = new Float64Array(nodes.length);
    const totals = this.#totals.fill(0, 0, nodes.length);
    if (nodes.length === 1) return totals;
    for (const score of scores) {
      const rate = score.rateFor(pod, nodes, this.#state);
      if (!rate) continue;
      for (let i = 0; i < nodes.length; i++) totals[i]! += score.weight * rate(nodes[i]!, i);
    }
    return totals;
  }
}

/** The nodes on which no filter refuses the pod; refusals are counted by what they say. */
function fittingNodes(
  pod: PodNeeds,
  nodes: readonly OfferingNode[],
  refusals: Map<string, number>,
): readonly OfferingNode[] {
  const concerned = filters.filter((filter) => filter.concerns?.(pod) ?? true);
  return nodes.filter((node) => {
    for (const filter of concerned) {
      const refusal = filter.refusal(pod, node);
      if (refusal === undefined) continue;
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      return false;
    }
    return true;
  });
}

/** For people: `0 of 3 nodes can take the pod: 2 with insufficient cpu, 1 not ready`. */
export function explainRefusals(nodes: number, refusals: ReadonlyMap<string, number>): string {
  if (nodes === 0) return 'there are no nodes';
  const reasons = [...refusals].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return `0 of ${nodes} nodes can take the pod: ${reasons.map(([reason, count]) => `${count} ${reason}`).join(', ')}`;
}
