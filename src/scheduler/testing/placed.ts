import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { ClusterState } from '../cluster-state.ts';
import type { Filter } from '../filters/filter.ts';
import type { OfferingNode } from '../node-state.ts';
import { needsOf } from '../pod-needs.ts';
import type { Score } from '../scores/score.ts';
import type { ServicesOf } from '../spreading.ts';

export interface Placement {
  readonly node: Node;
  readonly pods?: readonly Pod[];
}

/** A cluster with these nodes and the pods on them. */
export function clusterOf(placements: readonly Placement[], servicesOf: ServicesOf = () => []): ClusterState {
  const state = new ClusterState(servicesOf);
  for (const { node, pods = [] } of placements) {
    state.setNode(node);
    for (const pod of pods) state.setPod({ ...pod, spec: { ...pod.spec, nodeName: node.metadata.name } });
  }
  return state;
}

function onlyNode(placement: Placement): OfferingNode {
  return clusterOf([placement]).nodes[0]!;
}

/** What a filter says about a pod and a node with pods on it. */
export function refusalOf(filter: Filter, pod: Pod, placement: Placement): string | undefined {
  const needs = needsOf(pod);
  if (filter.concerns?.(needs) === false) return undefined;
  return filter.refusal(needs, onlyNode(placement));
}

/** What a score gives each node, rounded to hundredths; all 0 when it makes no difference. */
export function ratesOf(score: Score, pod: Pod, state: ClusterState): Record<string, number> {
  const rate = score.rateFor(needsOf(pod), state.nodes, state);
  return Object.fromEntries(state.nodes.map((node, i) => [node.name, Math.round((rate?.(node, i) ?? 0) * 100) / 100]));
}
