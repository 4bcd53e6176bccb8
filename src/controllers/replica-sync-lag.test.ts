import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openClient, type ClientFixture } from '../client/testing/client-fixture.ts';
import { LaggingClient } from '../client/testing/lagging-client.ts';
import { pod } from '../kinds/core/pod.ts';
import { replicationController } from '../kinds/core/replication-controller.ts';
import { runControllers, type ControllerRun } from './loop/run-controllers.ts';
import { replicationControllers } from './replication-controller.ts';

const web = { namespace: 'one', name: 'web' };

interface Scene extends ClientFixture {
  readonly lagging: LaggingClient;
  readonly run: ControllerRun;
  readonly names: () => Promise<unknown[]>;
  /** Has the controller look again, although it knows nothing new of its pods. */
  readonly touch: (turn: number) => Promise<void>;
}

/** The controller with a copy of the pods that can be held up; everything else it hears at once. */
async function openScene(t: TestContext): Promise<Scene> {
  const fixture = await openClient();
  const { registry, client } = fixture;
  const lagging = new LaggingClient({ registry, user: { name: 'tester', groups: [] }, freezesShared: true }, pod);
  const run = runControllers([replicationControllers], { ...fixture, client: lagging });
  t.after(async () => {
    await run.close();
    await fixture.close();
  });
  await run.settled();
  const { metadata, ...rest } = replicationController.example;
  await client.create(replicationController, { ...rest, metadata: { ...metadata, namespace: 'one' } });
  await run.settled();
  return {
    ...fixture,
    lagging,
    run,
    names: async () => (await client.list(pod)).items.map((each) => each.metadata.name),
    async touch(turn) {
      await client.patch(replicationController, web, { merge: { metadata: { annotations: { turn: `${turn}` } } } });
      await run.settled();
    },
  };
}

async function scale({ client, run }: Scene, replicas: number): Promise<void> {
  await client.patch(replicationController, web, { merge: { spec: { replicas } } });
  await run.settled();
}

test('pods that were made and not yet seen are not made again', async (t) => {
  const scene = await openScene(t);
  const { lagging, names, touch, client, run } = scene;
  lagging.hold();
  await scale(scene, 5);
  for (let turn = 0; turn < 3; turn++) await touch(turn);
  assert.equal((await names()).length, 5);
  lagging.release();
  await run.settled();
  assert.equal((await names()).length, 5);
  assert.equal((await client.get(replicationController, web)).status.replicas, 5);
});

test('no further pods are deleted while the deletion of others is not yet seen', async (t) => {
  const scene = await openScene(t);
  const { lagging, names, touch, client, run } = scene;
  await scale(scene, 6);
  lagging.hold();
  await scale(scene, 4);
  const left = await names();
  assert.equal(left.length, 4);
  for (let turn = 0; turn < 3; turn++) await touch(turn);
  assert.deepEqual(await names(), left);
  lagging.release();
  await run.settled();
  assert.deepEqual(await names(), left);
  assert.equal((await client.get(replicationController, web)).status.replicas, 4);
});

test('pods that came and went unseen do not stop the controller for good', async (t) => {
  const scene = await openScene(t);
  const { lagging, names, client, run, clock } = scene;
  lagging.hold();
  await scale(scene, 3);
  await client.deleteCollection(pod, { namespace: 'one' });
  lagging.release();
  clock.step(1000);
  await run.settled();
  assert.equal((await names()).length, 3);
});
