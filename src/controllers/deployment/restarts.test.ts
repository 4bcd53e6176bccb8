import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fraction, seededIds } from '../../base/ids.ts';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import { mortalClient } from '../testing/mortal-client.ts';
import { DeploymentWorld, imageOf, type SpecPatch } from './testing/deployment-world.ts';

const schedules = 60;
const stepsOfEach = 14;

/** What happens in a schedule, chosen by its seed. */
class Chance {
  readonly #ids;

  constructor(seed: number) {
    this.#ids = seededIds(seed);
  }

  /** A whole number from 0 up to but not including `end`. */
  below(end: number): number {
    return Math.floor(fraction(this.#ids) * end);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

function anySpec(chance: Chance): SpecPatch {
  const maxSurge = chance.of([0, 1, 2, '25%', '50%', '100%']);
  const maxUnavailable = maxSurge === 0 ? chance.of([1, 2, '30%']) : chance.of([0, 1, 2, '30%', '100%']);
  return {
    replicas: 1 + chance.below(8),
    minReadySeconds: chance.of([undefined, 5]),
    revisionHistoryLimit: chance.of([undefined, 0, 1, 2]),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  };
}

function withImage(version: number): object {
  return { template: { spec: { containers: [{ name: 'main', image: `web:${version}` }] } } };
}

/** What somebody does to the deployment. */
async function meddle(world: DeploymentWorld, chance: Chance, step: number): Promise<void> {
  switch (chance.below(6)) {
    case 0:
      return world.patch({ replicas: chance.below(9) });
    case 1:
      return world.patch({ paused: true });
    case 2:
      return world.patch({ paused: null });
    case 3:
      return world.patch({ rollbackTo: { revision: chance.below(4) } });
    default:
      return world.patch(withImage(step + 2));
  }
}

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
    if (chance.below(3) === 0) await meddle(world, chance, step);
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
