import { pod, type Pod } from '../../../kinds/core/pod.ts';
import { objectKey, parseKey } from '../../../registry/address.ts';
import type { Derived, FollowedState, KindFollower } from '../followed-state.ts';
import { isMirror, referencesOf, type Reference } from './pod-references.ts';

interface PlacedPod {
  /** Empty until the pod is on a node. */
  readonly node: string;
  readonly namespace: string;
  readonly references: ReadonlySet<Reference>;
}

const nothing: ReadonlySet<Reference> = new Set();

/** Which pods are on which node, and what they use. */
export class NodePods implements Derived {
  readonly #pods = new Map<string, PlacedPod>();
  /** For each node, how many of its pods use an object, by namespace and reference. */
  readonly #uses = new Map<string, Map<string, number>>();

  readonly followers: readonly KindFollower[] = [
    { kind: pod, set: (key, object: Pod) => this.#set(key, object), delete: (key) => this.#delete(key) },
  ];

  /** The node that a pod is on: empty when it is on none yet, undefined when there is no such pod. */
  nodeOf(namespace: string, name: string): string | undefined {
    return this.#pods.get(objectKey(pod, namespace, name))?.node;
  }

  uses(node: string, namespace: string, reference: Reference): boolean {
    return this.#uses.get(node)?.has(useKey(namespace, reference)) ?? false;
  }

  /** Names of the claims that pods of a node use in a namespace. */
  claimsOf(node: string, namespace: string): string[] {
    const beginning = useKey(namespace, 'persistentvolumeclaims/');
    const keys = [...(this.#uses.get(node)?.keys() ?? [])];
    return keys.filter((key) => key.startsWith(beginning)).map((key) => key.slice(beginning.length));
  }

  #set(key: string, object: Pod): void {
    this.#delete(key);
    const { namespace } = parseKey(pod, key);
    const node = object.spec.nodeName ?? '';
    // A node makes mirror pods itself, so they must not give it anything.
    const references = node === '' || isMirror(object) ? nothing : referencesOf(object);
    const placed = { node, namespace, references };
    this.#pods.set(key, placed);
    this.#count(placed, 1);
  }

  #delete(key: string): void {
    const placed = this.#pods.get(key);
    if (!placed) return;
    this.#pods.delete(key);
    this.#count(placed, -1);
  }

  #count({ node, namespace, references }: PlacedPod, change: 1 | -1): void {
    let uses = this.#uses.get(node);
    if (!uses) this.#uses.set(node, (uses = new Map<string, number>()));
    for (const reference of references) {
      const key = useKey(namespace, reference);
      const count = (uses.get(key) ?? 0) + change;
      if (count > 0) uses.set(key, count);
      else uses.delete(key);
    }
    if (uses.size === 0) this.#uses.delete(node);
  }
}

/** The pods of a storage, always as they are now. */
export type FollowedPods = FollowedState<NodePods>;

function useKey(namespace: string, reference: string): string {
  return `${namespace}/${reference}`;
}
