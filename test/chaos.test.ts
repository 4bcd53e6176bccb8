import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyChange, anySpec, withImage } from '../src/controllers/deployment/testing/random-spec.ts';
import { Chance } from '../src/controllers/testing/chance.ts';
import { isReady } from '../src/kinds/core/pod/pod-state.ts';
import { podAnnotations } from '../src/node/simulated/annotations.ts';
import { fuzzRuns } from '../src/schema/testing/fuzz-runs.ts';
import { RolloutWorld } from './chaos/rollout-world.ts';

const { numRuns, seed: chosen } = fuzzRuns(12);
const seeds = chosen === undefined ? Array.from({ length: numRuns }, (_, i) => i + 1) : [chosen];

/** How pods behave: slow to start, slow to be ready, slow to end. */
function anyPace(chance: Chance): Record<string, string> {
  return {
    [podAnnotations.startAfter]: chance.of(['0s', '2s', '3s']),
    [podAnnotations.readyAfter]: chance.of(['0s', '1s', '4s']),
    [podAnnotations.stopAfter]: chance.of(['0s', '2s', '10s']),
  };
}

/** In the middle of its start or of its work; a start takes about a dozen writes, a rollout about a hundred. */
function anyLives(chance: Chance): number {
  return chance.of([chance.below(12), 12 + chance.below(20), 12 + chance.below(80)]);
}

/** Changes begin where all is in order, or where another is under way; processes are killed after any write, and others that know nothing take over. */
async function play(world: RolloutWorld, chance: Chance): Promise<void> {
  await world.create(anySpec(chance), anyPace(chance));
  for (let step = 0; step < 4; step++) {
    if (step === 0 || chance.below(2) === 0) {
      await world.start();
      await world.pass(15_000);
    }
    await world.patch(step === 0 ? withImage(2) : anyChange(chance, step));
    for (let kills = chance.below(5); kills >= 0; kills--) {
      await world.start(anyLives(chance));
      await world.pass(chance.of([3000, 8000, 15_000]));
    }
  }
}

async function finish(world: RolloutWorld, replicas: number): Promise<void> {
  await world.start();
  await world.patch({ paused: null, rollbackTo: null });
  await world.patch({ replicas, ...withImage(100) });
  for (let waits = 0; waits < 20 && !(await isComplete(world)); waits++) await world.pass(10_000);
  await world.pass(10_000);
}

async function isComplete(world: RolloutWorld): Promise<boolean> {
  const { metadata, spec, status } = await world.get();
  const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status ?? {};
  if (observedGeneration !== metadata.generation) return false;
  return [replicas, updatedReplicas, availableReplicas].every((count) => count === spec.replicas);
}

async function checkEnd(world: RolloutWorld, replicas: number): Promise<void> {
  const pods = await world.pods();
  assert.deepEqual(
    pods.map((pod) => [pod.spec.containers[0]?.image, pod.status.phase, isReady(pod), Boolean(pod.spec.nodeName)]),
    Array.from({ length: replicas }, () => ['web:100', 'Running', true, true]),
  );
  assert.equal(new Set(pods.map(({ status }) => status.podIP)).size, replicas);
  const { status, spec, metadata } = await world.get();
  const { observedGeneration, updatedReplicas, availableReplicas, unavailableReplicas = 0 } = status ?? {};
  assert.deepEqual(
    { observedGeneration, updatedReplicas, availableReplicas, unavailableReplicas },
    {
      observedGeneration: metadata.generation,
      updatedReplicas: replicas,
      availableReplicas: replicas,
      unavailableReplicas: 0,
    },
  );
  const old = (await world.sets()).filter((set) => set.spec.replicas === 0);
  assert.equal(old.length, (await world.sets()).length - 1);
  assert.ok(old.length <= (spec.revisionHistoryLimit ?? Infinity), `${old.length} old replica sets`);
}

/** Everything that belongs to the deployment goes with it, whoever is killed on the way. */
async function remove(world: RolloutWorld, chance: Chance): Promise<void> {
  await world.delete(chance.of(['Foreground', 'Background']));
  for (let step = 0; step < 4; step++) {
    await world.start(chance.below(12));
    await world.pass(2000);
  }
  await world.start();
  await world.pass(60_000);
  assert.deepEqual([await world.deployments(), await world.sets(), await world.pods()], [[], [], []]);
}

for (const seed of seeds) {
  test(`a rollout keeps to its bounds and ends the same whenever its process is killed (seed ${seed})`, async () => {
    const chance = new Chance(seed);
    const world = await RolloutWorld.open(chance.below(2) === 0);
    try {
      await play(world, chance);
      const replicas = 1 + chance.below(8);
      await finish(world, replicas);
      await checkEnd(world, replicas);
      await remove(world, chance);
      assert.ok(world.kills > 0);
    } finally {
      await world.close();
    }
  });
}
