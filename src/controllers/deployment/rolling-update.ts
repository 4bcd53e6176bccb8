import type { RolloutBounds } from './rollout-bounds.ts';
import { availableAt, heldBy, sum, type SetState } from './set-state.ts';

/** How many pods a replica set is to have from now on. */
export interface SizeChange {
  readonly state: SetState;
  readonly replicas: number;
}

/** The replica set of the present template, if there is one yet, and the others, the oldest first. */
export interface RolloutSets {
  readonly current: SetState | undefined;
  readonly old: readonly SetState[];
}

/** How many pods the replica set of the present template is to have: as many as the surge has room for. */
export function nextSizeOfCurrent({ current, old }: RolloutSets, { desired, most }: RolloutBounds): number {
  const size = current?.replicas ?? 0;
  if (size >= desired) return desired;
  const room = most - sum(old, heldBy) - (current ? heldBy(current) : 0);
  return Math.min(desired, size + Math.max(0, room));
}

/**
 * How the other replica sets shrink. Pods that are not available go first, then as many as are available beyond what must be. What is left
 * could make up the fewest that must be available, even if no further new pod ever becomes so.
 */
export function shrinkOld({ current, old }: RolloutSets, { desired, fewestAvailable }: RolloutBounds): SizeChange[] {
  const currentAvailable = current ? availableAt(current, Math.min(current.replicas, desired)) : 0;
  const sizes = old.map(({ replicas }) => replicas);
  const total = sum(sizes, (size) => size);
  const unneeded = take(sizes, total + currentAvailable - fewestAvailable, (i) => sizes[i]! - old[i]!.available);
  const available = currentAvailable + sum(old, (state) => availableAt(state, state.replicas));
  take(sizes, Math.min(unneeded, available - fewestAvailable), (i) => sizes[i]!);
  return old.map((state, i) => ({ state, replicas: sizes[i]! }));
}

/** Takes from the sizes, in order, at most so much from each and from all; gives what was not taken. */
function take(sizes: number[], atMost: number, ofEach: (index: number) => number): number {
  let left = Math.max(0, atMost);
  for (const i of sizes.keys()) {
    const taken = Math.min(left, Math.max(0, ofEach(i)));
    sizes[i]! -= taken;
    left -= taken;
  }
  return left;
}
