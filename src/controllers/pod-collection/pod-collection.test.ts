import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { changeObject } from '../../client/change-object.ts';
import { node } from '../../kinds/core/node.ts';
import { pod, type Pod } from '../../kinds/core/pod.ts';
import { objectKey } from '../../registry/address.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { podCollection } from './pod-collection.ts';

interface Scene extends Omit<ControllerFixture, 'pass'> {
  readonly pass: (ms: number) => Promise<void>;
  readonly makePod: (name: string, nodeName?: string, phase?: string) => Promise<void>;
  readonly names: () => Promise<string[]>;
}

async function openScene(t: TestContext, finishedPods?: number): Promise<Scene> {
  const fixture = await openControllers([podCollection({ finishedPods })]);
  t.after(() => fixture.close());
  const { client } = fixture;
  return {
    ...fixture,
    pass: (ms) => fixture.pass(ms),
    async makePod(name, nodeName, phase) {
      await client.create(pod, {
        ...pod.example,
        metadata: { name, namespace: 'one' },
        spec: { ...pod.example.spec, nodeName },
      });
      if (!phase) return;
      const change = (each: Pod): void => void (each.status.phase = phase);
      await changeObject(client, { kind: pod, name: { namespace: 'one', name }, part: 'status', change });
    },
    names: async () => (await client.list(pod)).items.map(({ metadata }) => metadata.name ?? ''),
  };
}

test('of finished pods the oldest go when there are too many, and the others stay', async (t) => {
  const { makePod, names, pass } = await openScene(t, 2);
  await makePod('z-first', undefined, 'Failed');
  await pass(1000);
  await makePod('running', undefined, 'Running');
  for (const name of ['b', 'a', 'c']) {
    await makePod(name, undefined, 'Succeeded');
    await pass(1000);
  }
  assert.equal((await names()).length, 5);
  await pass(20_000);
  assert.deepEqual(await names(), ['a', 'c', 'running']);
});

test('without a bound all finished pods stay', async (t) => {
  const { makePod, names, pass } = await openScene(t, 0);
  for (const name of ['a', 'b', 'c']) await makePod(name, undefined, 'Failed');
  await pass(60_000);
  assert.equal((await names()).length, 3);
});

test('pods of a node that is not there are removed after a while, without their grace', async (t) => {
  const { makePod, names, pass, client } = await openScene(t);
  await client.create(node, { ...node.example, metadata: { name: 'here' }, spec: {} });
  await makePod('stranded', 'nowhere', 'Running');
  await makePod('fine', 'here', 'Running');
  await makePod('waiting');
  await pass(55_000);
  assert.equal((await names()).length, 3);
  await pass(10_000);
  assert.deepEqual(await names(), ['fine', 'waiting']);
});

test('a node that comes in time keeps its pods, and a later absence begins anew', async (t) => {
  const { makePod, names, pass, client } = await openScene(t);
  await makePod('early', 'late-node', 'Running');
  await pass(30_000);
  await client.create(node, { ...node.example, metadata: { name: 'late-node' }, spec: {} });
  await pass(60_000);
  await client.delete(node, { name: 'late-node' });
  await pass(40_000);
  assert.deepEqual(await names(), ['early']);
  await pass(40_000);
  assert.deepEqual(await names(), []);
});

test('a pod that another server marked to end, and that never had a node, is removed', async (t) => {
  const { names, pass, makePod, storage } = await openScene(t);
  await makePod('unscheduled');
  const key = objectKey(pod, 'one', 'unscheduled');
  const { value, revision } = (await storage.get(key))!;
  const marked = JSON.parse(value.toString('utf8')) as Pod;
  Object.assign(marked.metadata, { deletionTimestamp: '2030-01-01T01:00:00Z', deletionGracePeriodSeconds: 3600 });
  await storage.update(key, Buffer.from(JSON.stringify(marked)), revision);
  assert.deepEqual(await names(), ['unscheduled']);
  await pass(20_000);
  assert.deepEqual(await names(), []);
});
