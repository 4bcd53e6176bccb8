import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import { Chance } from '../testing/chance.ts';
import { mortalClient } from '../testing/mortal-client.ts';
import { DeploymentWorld, imageOf } from './testing/deployment-world.ts';
import { anyChange, anySpec, withImage } from './testing/random-spec.ts';

const schedules = 60;
const stepsOfEach = 14;

/** What the nodes do. */
async function movePods(world: DeploymentWorld, chance: Chance): Promise<void> {
  for (const pod of await world.activePods()) {
    const roll = chance.below(10);
    if (!isReady(pod) && roll < 6) await world.pods.ready(pod);
    else if (isReady(pod) && roll === 9) await world.pods.unready(pod);
  }
  await world.pods.reap();
}

/** Controllers are killed after any write and started again, knowing nothing, while things go on. */
async function play(world: DeploymentWorld, chance: Chance): Promise<void> {
  await world.create(anySpec(chance));
  for (let step = 0; step < stepsOfEach; step++) {
    await world.run.close();
    const mortal = mortalClient(world.client, chance.below(25));
    await world.start(mortal.client).started;
    if (chance.below(3) === 0) await world.patch(anyChange(chance, step));
    await Promise.race([world.settled(), mortal.killed]);
    await movePods(world, chance);
    const ms = chance.of([0, 1000, 5000]);
    await Promise.race([world.pass(ms), mortal.killed]);
    if (!mortal.isKilled && ms > 0) world.guard.rested();
  }
  await world.run.close();
}

async function end(world: DeploymentWorld, replicas: number): Promise<void> {
  world.start();
  await world.rest();
  await world.patch({ paused: null, rollbackTo: null });
  await world.patch({ replicas, ...withImage(100) });
  await world.rest();
  for (let i = 0; i < 40; i++) {
    await world.finish();
    await world.pass(5000);
  }
}

for (let seed = 1; seed <= schedules; seed++) {
  test(`controllers that are killed at any write keep to the bounds and reach the end (seed ${seed})`, async () => {
    const chance = new Chance(seed);
    const world = await DeploymentWorld.open();
    try {
      await play(world, chance);
      const replicas = 1 + chance.below(8);
      await end(world, replicas);
      for (const set of await world.sets()) {
        assert.equal(set.spec.replicas, imageOf(set) === 'web:100' ? replicas : 0, imageOf(set));
      }
      const pods = await world.pods.list();
      assert.deepEqual(
        pods.map(({ spec }) => spec.containers[0]?.image),
        Array.from({ length: replicas }, () => 'web:100'),
      );
      const { status, spec } = await world.get();
      assert.deepEqual([status?.updatedReplicas, status?.availableReplicas], [replicas, replicas]);
      const old = (await world.sets()).length - 1;
      assert.ok(old <= (spec.revisionHistoryLimit ?? Infinity), `${old} old replica sets`);
      assert.ok(world.guard.changes > 0);
    } finally {
      await world.close();
    }
  });
}
