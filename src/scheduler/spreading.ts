import type { NodeState } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';

/** Says how many pods like one are on each node. */
export interface SpreadCounts {
  /** Nothing when the pod belongs to no group. */
  counterFor(pod: PodNeeds): ((node: NodeState) => number) | undefined;
}

/** The keys of the services that a pod answers for. */
export type ServicesOf = (namespace: string, labels: Readonly<Record<string, string>>) => readonly string[];

/** How often each node is the place of a pod of a group. */
type NodeCounts = Map<NodeState, number>;

/**
 * Counts the pods of each controller and of each service on each node, as pods come and go. A pod that belongs to the same controller and
 * answers for the same service is counted for both: it is more alike than one that shares only the service.
 */
export class Spreading implements SpreadCounts {
  readonly #servicesOf: ServicesOf;
  readonly #groups = new Map<string, NodeCounts>();

  constructor(servicesOf: ServicesOf) {
    this.#servicesOf = servicesOf;
  }

  groupsOf({ namespace, labels, controller }: PodNeeds): readonly string[] {
    const services = this.#servicesOf(namespace, labels).map((service) => `service ${service}`);
    return controller === undefined ? services : [`controller ${controller}`, ...services];
  }

  add(groups: readonly string[], node: NodeState): void {
    for (const group of groups) {
      let counts = this.#groups.get(group);
      if (!counts) this.#groups.set(group, (counts = new Map<NodeState, number>()));
      counts.set(node, (counts.get(node) ?? 0) + 1);
    }
  }

  remove(groups: readonly string[], node: NodeState): void {
    for (const group of groups) {
      const counts = this.#groups.get(group);
      const count = counts?.get(node);
      if (!counts || count === undefined) continue;
      if (count > 1) counts.set(node, count - 1);
      else counts.delete(node);
      if (counts.size === 0) this.#groups.delete(group);
    }
  }

  counterFor(pod: PodNeeds): ((node: NodeState) => number) | undefined {
    const groups = this.groupsOf(pod).flatMap((group) => this.#groups.get(group) ?? []);
    const [only] = groups;
    if (!only) return undefined;
    if (groups.length === 1) return (node) => only.get(node) ?? 0;
    return (node) => groups.reduce((sum, counts) => sum + (counts.get(node) ?? 0), 0);
  }
}
