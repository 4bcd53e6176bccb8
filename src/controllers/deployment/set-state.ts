import type { Pod } from '../../kinds/core/pod.ts';
import { isActive, isAvailable, isReady } from '../../kinds/core/pod/pod-state.ts';
import type { ReplicaSet } from '../../kinds/extensions/replica-set.ts';

/** A replica set of a deployment and how its pods fare. */
export interface SetState {
  readonly set: ReplicaSet;
  /** How many pods it is to have. */
  readonly replicas: number;
  /** How many it has, those on their way out not counted. */
  readonly pods: number;
  /** How many of them are ready. */
  readonly ready: number;
  /** How many of them have been ready for long enough. */
  readonly available: number;
}

/** What decides which pods are available. */
export interface Availability {
  readonly minReadySeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function setState(set: ReplicaSet, pods: readonly Pod[], { minReadySeconds, now }: Availability): SetState {
  const active = pods.filter(isActive);
  return {
    set,
    replicas: set.spec.replicas ?? 1,
    pods: active.length,
    ready: active.filter(isReady).length,
    available: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
  };
}

/** How many pods the set may have at this moment: those that it has not deleted yet count, and so do those it has not made yet. */
export function heldBy({ replicas, pods }: SetState): number {
  return Math.max(replicas, pods);
}

/** How many available pods the set keeps when it comes to have `replicas`. It deletes those first that are not available. */
export function availableAt({ available }: SetState, replicas: number): number {
  return Math.min(available, replicas);
}

/** Whether the set's controller knows how many pods it is to have. Before that, pods may come and go that nobody asks for any more. */
export function isObserved({ set }: SetState): boolean {
  return (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);
}

export function sum<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}
