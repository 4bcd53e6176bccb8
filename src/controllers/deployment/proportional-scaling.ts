import { desiredReplicasAnnotation, maxReplicasAnnotation, numberIn } from './deployment-annotations.ts';
import type { RolloutBounds } from './rollout-bounds.ts';
import { setsOf } from './rollout.ts';
import type { RolloutSets, SizeChange } from './rolling-update.ts';
import { availableAt, heldBy, sum, type SetState } from './set-state.ts';

/** Whether the deployment asks for another number of pods than when its replica sets were last scaled. */
export function isScaled(sets: RolloutSets, { desired }: RolloutBounds): boolean {
  return activeIn(sets).some(({ set }) => {
    const before = numberIn(set.metadata.annotations, desiredReplicasAnnotation);
    return before !== undefined && before !== desired;
  });
}

/**
 * How replica sets take up a change of the number of pods, without moving a rollout on: a single one takes all of it, several share it in
 * proportion to their size, so that a rollout that goes wrong does not gain pods by scaling.
 */
export function shareScaling(sets: RolloutSets, bounds: RolloutBounds): SizeChange[] {
  const active = activeIn(sets);
  if (active.length <= 1) {
    const only = active[0] ?? sets.current ?? sets.old.at(-1);
    return only ? [{ state: only, replicas: bounds.desired }] : [];
  }
  const { current, old } = sets;
  if (current && current.replicas === bounds.desired && current.available >= bounds.desired) {
    return [{ state: current, replicas: bounds.desired }, ...old.map((state) => ({ state, replicas: 0 }))];
  }
  return isScaled(sets, bounds) ? keepAvailable(inProportion(active, bounds), bounds) : [];
}

/** From the oldest to the newest. */
function activeIn(sets: RolloutSets): SetState[] {
  return setsOf(sets).filter(({ replicas }) => replicas > 0);
}

function inProportion(active: readonly SetState[], { desired, most }: RolloutBounds): SizeChange[] {
  if (desired === 0) return active.map((state) => ({ state, replicas: 0 }));
  const total = sum(active, ({ replicas }) => replicas);
  const grows = most > total;
  // Pods that are still to be deleted take up room: the others grow when they are gone.
  if (grows && active.some((state) => heldBy(state) > state.replicas)) return [];
  let left = most - total;
  // The largest bear most of it; among equals the newest grow and the oldest shrink.
  const byAge = grows ? active.toReversed() : active;
  const ordered = byAge.toSorted((a, b) => b.replicas - a.replicas);
  const sizes = ordered.map((state) => {
    const share = clamp(shareOf(state, { most, total }), left);
    left -= share;
    return state.replicas + share;
  });
  // What rounding leaves over goes to the first that can bear it.
  for (const i of sizes.keys()) {
    const rest = Math.max(left, -sizes[i]!);
    sizes[i]! += rest;
    left -= rest;
  }
  return ordered.map((state, i) => ({ state, replicas: sizes[i]! }));
}

/** By how much the set would change if it kept its part of the whole. */
function shareOf({ set, replicas }: SetState, { most, total }: { most: number; total: number }): number {
  const mostBefore = numberIn(set.metadata.annotations, maxReplicasAnnotation) || total;
  return Math.round((replicas * most) / mostBefore) - replicas;
}

/** At most `bound`, in its direction; nothing against it. */
function clamp(share: number, bound: number): number {
  return bound > 0 ? Math.max(0, Math.min(share, bound)) : Math.min(0, Math.max(share, bound));
}

/** Rounding may take an available pod and leave one that is not. Where too few would stay available, pods change places. */
function keepAvailable(changes: readonly SizeChange[], { most, fewestAvailable }: RolloutBounds): SizeChange[] {
  const states = changes.map(({ state }) => state);
  const sizes = changes.map(({ replicas }) => replicas);
  const availableNow = sum(states, (state) => availableAt(state, state.replicas));
  let missing =
    Math.min(fewestAvailable, availableNow) - sum(changes, ({ state, replicas }) => availableAt(state, replicas));
  for (; missing > 0; missing--) {
    const gains = states.findIndex((state, i) => sizes[i]! < availableAt(state, state.replicas));
    const loses = states.findIndex(({ available }, i) => sizes[i]! > available);
    if (gains < 0 || (loses < 0 && sum(sizes, (size) => size) >= most)) break;
    sizes[gains]! += 1;
    if (loses >= 0) sizes[loses]! -= 1;
  }
  return states.map((state, i) => ({ state, replicas: sizes[i]! }));
}
