import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replicaSet } from '../../kinds/extensions/replica-set.ts';
import { desiredReplicasAnnotation, maxReplicasAnnotation } from './deployment-annotations.ts';
import { shareScaling } from './proportional-scaling.ts';
import type { RolloutBounds } from './rollout-bounds.ts';
import { nextSizeOfCurrent, shrinkOld, type RolloutSets, type SizeChange } from './rolling-update.ts';
import { availableAt, heldBy, sum, type SetState } from './set-state.ts';

/** A replica set with pods as they may be at any moment: too many, too few, available or not. */
const anyState: fc.Arbitrary<SetState> = fc
  .record({ replicas: fc.nat(12), pods: fc.nat(12), ready: fc.nat(12), desired: fc.nat(12), surge: fc.nat(4) })
  .map(({ replicas, pods, ready, desired, surge }) => {
    const annotations = {
      [desiredReplicasAnnotation]: String(desired),
      [maxReplicasAnnotation]: String(desired + surge),
    };
    const set = { ...replicaSet.example, metadata: { name: 'web', annotations } };
    const available = Math.min(pods, ready);
    return { set, replicas, pods, ready: available, available };
  });

const anySets: fc.Arbitrary<RolloutSets> = fc.record({
  current: fc.option(anyState, { nil: undefined }),
  old: fc.array(anyState, { maxLength: 3 }),
});

const anyBounds: fc.Arbitrary<RolloutBounds> = fc
  .record({ desired: fc.nat(12), surge: fc.nat(4), missing: fc.nat(12) })
  .map(({ desired, surge, missing }) => ({
    desired,
    most: desired === 0 ? 0 : desired + surge,
    fewestAvailable: Math.max(0, desired - (surge + missing === 0 ? 1 : missing)),
  }));

function all({ current, old }: RolloutSets): SetState[] {
  return current ? [...old, current] : [...old];
}

/** How many pods stay available at the sizes that the sets have, except where they change. */
function availableAfter(sets: RolloutSets, changes: readonly SizeChange[]): number {
  const sizes = new Map(changes.map(({ state, replicas }) => [state, replicas]));
  return sum(all(sets), (state) => availableAt(state, sizes.get(state) ?? state.replicas));
}

test('the present replica set grows only into room that nobody holds', () => {
  fc.assert(
    fc.property(anySets, anyBounds, (sets, bounds) => {
      const size = nextSizeOfCurrent(sets, bounds);
      assert.ok(size <= bounds.desired);
      const before = sets.current?.replicas ?? 0;
      if (size > before) assert.ok(sum(all(sets), heldBy) + size - before <= bounds.most);
    }),
  );
});

test('old replica sets never shrink below what must be available', () => {
  fc.assert(
    fc.property(anySets, anyBounds, (sets, bounds) => {
      const changes = shrinkOld(sets, bounds);
      for (const { state, replicas } of changes) assert.ok(replicas >= 0 && replicas <= state.replicas);
      const current = sets.current && {
        state: sets.current,
        replicas: Math.min(sets.current.replicas, bounds.desired),
      };
      const kept = current ? [current] : [];
      const before = availableAfter(sets, kept);
      const after = availableAfter(sets, [...changes, ...kept]);
      assert.ok(after >= Math.min(before, bounds.fewestAvailable), `${before} -> ${after}`);
    }),
  );
});

test('when all new pods are available, nothing is left of the old ones', () => {
  fc.assert(
    fc.property(anySets, anyBounds, anyState, ({ old }, bounds, state) => {
      const { desired } = bounds;
      const current = { ...state, replicas: desired, pods: desired, ready: desired, available: desired };
      assert.ok(shrinkOld({ current, old }, bounds).every(({ replicas }) => replicas === 0));
    }),
  );
});

test('scaling takes no pods that must stay available, and makes none beyond the surge', () => {
  fc.assert(
    fc.property(anySets, anyBounds, (sets, bounds) => {
      const changes = shareScaling(sets, bounds);
      for (const { replicas } of changes) assert.ok(replicas >= 0);
      const before = availableAfter(sets, []);
      assert.ok(availableAfter(sets, changes) >= Math.min(before, bounds.fewestAvailable));
      const sizes = new Map(changes.map(({ state, replicas }) => [state, replicas]));
      const grown = changes.some(({ state, replicas }) => replicas > state.replicas);
      const total = sum(all(sets), (state) => sizes.get(state) ?? state.replicas);
      if (grown) assert.ok(total <= bounds.most, `${total} pods`);
    }),
  );
});

test('several replica sets share a change in proportion to their size', () => {
  const state = (replicas: number): SetState => ({
    set: {
      ...replicaSet.example,
      metadata: { annotations: { [desiredReplicasAnnotation]: '10', [maxReplicasAnnotation]: '13' } },
    },
    replicas,
    pods: replicas,
    ready: replicas,
    available: replicas,
  });
  const sets = { old: [state(3), state(4)], current: state(6) };
  const sizes = (desired: number, most: number): number[] => {
    const changes = shareScaling(sets, { desired, most, fewestAvailable: 0 });
    return all(sets).map((each) => changes.find(({ state: changed }) => changed === each)!.replicas);
  };
  assert.deepEqual(sizes(23, 26), [6, 8, 12]);
  assert.deepEqual(sizes(4, 7), [2, 2, 3]);
  assert.deepEqual(sizes(0, 0), [0, 0, 0]);
});
