import { isDeepStrictEqual } from 'node:util';
import { keyOf } from '../client/object-name.ts';
import type { Node } from '../kinds/core/node.ts';
import type { Pod } from '../kinds/core/pod.ts';
import { isOffering, NodeState, offerOf, type OfferingNode } from './node-state.ts';
import { needsOf, type PodNeeds } from './pod-needs.ts';
import { Spreading, type ServicesOf } from './spreading.ts';

/** A pod that uses up a part of a node. */
interface PlacedPod {
  readonly needs: PodNeeds;
  readonly node: NodeState;
  /** The groups in which it is counted. */
  groups: readonly string[];
  /** The scheduler has chosen the node, and no watch has told of the pod there yet. */
  readonly isAssumed: boolean;
}

/**
 * Which pods are on which nodes, and what that leaves, kept up to date change by change. A pod that was given a node a moment ago is counted there
 * from that moment on, so what is left of a node is never given away twice.
 */
export class ClusterState {
  readonly spreading: Spreading;
  readonly #nodes = new Map<string, NodeState>();
  readonly #pods = new Map<string, PlacedPod>();
  readonly #byNamespace = new Map<string, Set<PlacedPod>>();
  /** Those of `#nodes` that are there; made anew when one comes or goes. */
  #offering: readonly OfferingNode[] | undefined;

  constructor(servicesOf: ServicesOf) {
    this.spreading = new Spreading(servicesOf);
  }

  /** The nodes that are there, in the order in which the reference takes those in turn that suit a pod equally. */
  get nodes(): readonly OfferingNode[] {
    this.#offering ??= [...this.#nodes.values()].filter(isOffering).sort(byNameDescending);
    return this.#offering;
  }

  /** The node is new or has changed; says whether pods may fit now that did not before. */
  setNode(node: Node): boolean {
    const state = this.#nodeOf(node.metadata.name ?? '');
    const isNew = state.offer === undefined;
    const hasChanged = state.setOffer(offerOf(node));
    if (isNew) this.#offering = undefined;
    return hasChanged;
  }

  removeNode(name: string): void {
    const state = this.#nodes.get(name);
    if (!state) return;
    state.setOffer(undefined);
    this.#offering = undefined;
    this.#dropIfUnused(state);
  }

  /** A watch tells of a pod on a node; says whether that makes room on another one. */
  setPod(pod: Pod): boolean {
    const key = keyOf(pod);
    const { uid = '', labels = {} } = pod.metadata;
    const { nodeName = '' } = pod.spec;
    const known = this.#pods.get(key);
    const isSame = known?.needs.uid === uid && known.node.name === nodeName;
    // What a pod asks for never changes, so only labels matter, by which services choose their pods.
    if (isSame && !known.isAssumed && isDeepStrictEqual(known.needs.labels, labels)) return false;
    if (known) this.#remove(known);
    this.#place(needsOf(pod), this.#nodeOf(nodeName), false);
    return known !== undefined && !isSame;
  }

  /** Counts a pod on a node before it is bound to it. */
  assume(pod: PodNeeds, node: NodeState): void {
    const known = this.#pods.get(pod.key);
    if (known) this.#remove(known);
    this.#place(pod, node, true);
  }

  /** The pod could not be bound; says whether it was still counted only because of that. */
  forget({ key, uid }: PodNeeds): boolean {
    const known = this.#pods.get(key);
    if (!known?.isAssumed || known.needs.uid !== uid) return false;
    this.#remove(known);
    return true;
  }

  /** The pod has gone or ended; says whether it was counted anywhere. */
  removePod(key: string): boolean {
    const known = this.#pods.get(key);
    if (known) this.#remove(known);
    return known !== undefined;
  }

  /** Services of the namespace choose other pods than before. */
  regroup(namespace: string): void {
    for (const placed of this.#byNamespace.get(namespace) ?? []) {
      this.spreading.remove(placed.groups, placed.node);
      placed.groups = this.spreading.groupsOf(placed.needs);
      this.spreading.add(placed.groups, placed.node);
    }
  }

  #nodeOf(name: string): NodeState {
    let state = this.#nodes.get(name);
    if (!state) this.#nodes.set(name, (state = new NodeState(name)));
    return state;
  }

  #place(needs: PodNeeds, node: NodeState, isAssumed: boolean): void {
    const placed: PlacedPod = { needs, node, groups: this.spreading.groupsOf(needs), isAssumed };
    this.#pods.set(needs.key, placed);
    let neighbours = this.#byNamespace.get(needs.namespace);
    if (!neighbours) this.#byNamespace.set(needs.namespace, (neighbours = new Set<PlacedPod>()));
    neighbours.add(placed);
    node.add(needs);
    this.spreading.add(placed.groups, node);
  }

  #remove(placed: PlacedPod): void {
    const { needs, node, groups } = placed;
    this.#pods.delete(needs.key);
    const neighbours = this.#byNamespace.get(needs.namespace);
    neighbours?.delete(placed);
    if (neighbours?.size === 0) this.#byNamespace.delete(needs.namespace);
    node.remove(needs);
    this.spreading.remove(groups, node);
    this.#dropIfUnused(node);
  }

  #dropIfUnused(node: NodeState): void {
    if (node.offer === undefined && node.pods === 0) this.#nodes.delete(node.name);
  }
}

function byNameDescending(a: NodeState, b: NodeState): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? 1 : -1;
}
