import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { formatTime } from '../../base/clock.ts';
import { changeObject } from '../../client/change-object.ts';
import type { Client } from '../../client/client.ts';
import { event } from '../../kinds/core/event.ts';
import type { NodeCondition } from '../../kinds/core/node-status.ts';
import { node, type Node } from '../../kinds/core/node.ts';
import { pod, type Pod } from '../../kinds/core/pod.ts';
import { conditionOf, isReady } from '../../kinds/core/pod/pod-state.ts';
import { isApiError, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { OwnerReference } from '../../kinds/meta/object-meta.ts';
import type { Attempt } from '../../registry/admission.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { nodeLifecycle } from './node-lifecycle.ts';
import { readyCondition } from './ready-condition.ts';

const second = 1000;
const minute = 60 * second;

describe('the node controller', () => {
  let fixture: ControllerFixture;
  let client: Client;
  /** Nodes that report every ten seconds. */
  let alive: Set<string>;
  /** Names of what cannot be written any more. */
  let stuck: Set<string>;
  beforeEach(async () => {
    alive = new Set();
    stuck = new Set();
    const mutate = ({ name }: Attempt): void => {
      if (stuck.has(name)) throw serviceUnavailable(`${name} is stuck`);
    };
    fixture = await openControllers([nodeLifecycle()], { admission: [{ name: 'Stuck', kinds: [node, pod], mutate }] });
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  async function makeNode(name: string, isAlive = true): Promise<void> {
    await client.create(node, { ...node.example, metadata: { name }, spec: {} });
    if (!isAlive) return;
    alive.add(name);
    await report(name, 'True');
    await fixture.run.settled();
  }

  async function report(name: string, status: string): Promise<void> {
    const time = formatTime(fixture.clock.now());
    const conditions: NodeCondition[] = ['Ready', 'OutOfDisk', 'Other'].map((type) => ({
      type,
      status: type === 'Ready' ? status : 'False',
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    }));
    const change = (each: Node): void => void (each.status.conditions = conditions);
    await changeObject(client, { kind: node, name: { name }, part: 'status', change });
  }

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 10 * second) {
      for (const name of alive) await report(name, 'True');
      await fixture.pass(Math.min(left, 10 * second));
    }
  }

  async function makePod(name: string, nodeName: string, owner?: Partial<OwnerReference>): Promise<void> {
    const ownerReferences = owner && [
      { apiVersion: 'v1', kind: 'ReplicationController', name: 'x', uid: 'u', ...owner },
    ];
    const spec = { ...pod.example.spec, nodeName };
    const metadata = { name, namespace: 'one', ownerReferences };
    await client.create(pod, { ...pod.example, metadata, spec });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const change = (each: Pod): void => void (each.status = status);
    await changeObject(client, { kind: pod, name: { namespace: 'one', name }, part: 'status', change });
  }

  const getPod = (name: string): Promise<Pod> => client.get(pod, { namespace: 'one', name });
  const ready = async (name: string): Promise<NodeCondition | undefined> =>
    readyCondition(await client.get(node, { name }));

  async function podNames(): Promise<string[]> {
    return (await client.list(pod)).items.map(({ metadata }) => metadata.name ?? '');
  }

  async function reasons(name: string): Promise<string[]> {
    const { items } = await client.list(event, { fields: { 'involvedObject.name': name } });
    return items.map(({ reason = '' }) => reason);
  }

  test('a node that reports stays as it is', async () => {
    await makeNode('a');
    await pass(3 * minute);
    assert.equal((await ready('a'))?.status, 'True');
    assert.deepEqual(await reasons('a'), ['RegisteredNode']);
  });

  test('a node that is silent for 40 seconds is unknown, and so is its disk', async () => {
    await makeNode('a');
    alive.clear();
    const heard = (await ready('a'))?.lastHeartbeatTime;
    await pass(38 * second);
    assert.equal((await ready('a'))?.status, 'True');
    await pass(10 * second);
    const { status } = await client.get(node, { name: 'a' });
    const [first, disk, other] = status.conditions ?? [];
    assert.deepEqual([first?.status, disk?.status, other?.status], ['Unknown', 'Unknown', 'False']);
    assert.equal(first?.reason, 'NodeStatusUnknown');
    assert.equal(first.lastHeartbeatTime, heard);
    assert.notEqual(first.lastTransitionTime, heard);
    assert.deepEqual(await reasons('a'), ['RegisteredNode', 'NodeNotReady']);
  });

  test('a node that never reports is given a minute', async () => {
    await makeNode('a', false);
    await pass(55 * second);
    assert.equal(await ready('a'), undefined);
    await pass(10 * second);
    const { status } = await client.get(node, { name: 'a' });
    const told = status.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);
    assert.deepEqual(told, ['Ready Unknown NodeStatusNeverUpdated', 'OutOfDisk Unknown NodeStatusNeverUpdated']);
    assert.deepEqual(await reasons('a'), ['RegisteredNode']);
  });

  test('pods of a node that fails are not ready, and those of others stay so', async () => {
    await makeNode('a');
    await makeNode('b');
    await makePod('on-a', 'a');
    await makePod('on-b', 'b');
    alive.delete('a');
    await pass(50 * second);
    assert.deepEqual([isReady(await getPod('on-a')), isReady(await getPod('on-b'))], [false, true]);
    assert.ok(conditionOf(await getPod('on-a'), 'Ready')?.lastTransitionTime);
  });

  test('a node that says it is not ready knows best how its pods fare', async () => {
    await makeNode('a');
    await makePod('p', 'a');
    await report('a', 'False');
    await fixture.pass(20 * second);
    assert.equal(isReady(await getPod('p')), true);
    assert.deepEqual(await reasons('a'), ['RegisteredNode']);
  });

  test('pods of a silent node are marked once', async () => {
    await makeNode('a');
    await makePod('p', 'a');
    await report('a', 'False');
    alive.clear();
    await fixture.pass(50 * second);
    assert.equal(isReady(await getPod('p')), false);
    const change = (each: Pod): void => void (each.status.conditions = [{ type: 'Ready', status: 'True' }]);
    await changeObject(client, { kind: pod, name: { namespace: 'one', name: 'p' }, part: 'status', change });
    await fixture.pass(20 * second);
    assert.equal(isReady(await getPod('p')), true);
  });

  test('events of nodes are found under the name of the node and of the program', async () => {
    await makeNode('a');
    const [first] = (await client.list(event, { fields: { 'involvedObject.uid': 'a' } })).items;
    assert.equal(first?.reason, 'RegisteredNode');
    assert.equal(first.source?.component, 'controllermanager');
    assert.equal(first.metadata.namespace, 'default');
  });

  test('after five minutes the pods of a failed node are deleted, and removed when their grace is over', async () => {
    await makeNode('a');
    await makeNode('b');
    await makePod('p', 'a');
    await makePod('daemon', 'a', { kind: 'DaemonSet', controller: true });
    await makePod('other', 'b');
    alive.delete('a');
    await pass(5 * minute - 10 * second);
    assert.equal((await getPod('p')).metadata.deletionTimestamp, undefined);
    await pass(20 * second);
    const { metadata, status } = await getPod('p');
    assert.ok(metadata.deletionTimestamp);
    assert.equal(status.reason, 'NodeLost');
    await pass(40 * second);
    assert.deepEqual(await podNames(), ['daemon', 'other']);
    assert.deepEqual(await reasons('p'), ['NodeControllerEviction']);
    assert.deepEqual((await reasons('a')).slice(2), ['DeletingAllPods', 'TerminatingEvictedPod', 'TerminatedAllPods']);
  });

  test('a node that comes back in time keeps its pods, and its time begins anew', async () => {
    await makeNode('a');
    await makeNode('b');
    await makePod('p', 'a');
    alive.delete('a');
    await pass(4 * minute);
    alive.add('a');
    await pass(minute);
    alive.delete('a');
    await pass(4 * minute);
    assert.equal((await getPod('p')).metadata.deletionTimestamp, undefined);
  });

  test('nodes lose their pods one after the other', async () => {
    await makeNode('z');
    for (const name of ['a', 'b', 'c']) {
      await makeNode(name);
      await makePod(`on-${name}`, name);
    }
    for (const name of ['a', 'b', 'c']) alive.delete(name);
    await pass(5 * minute + 6 * second);
    const marked = async (): Promise<number> =>
      (await client.list(pod)).items.filter(({ metadata }) => metadata.deletionTimestamp).length;
    assert.equal(await marked(), 1);
    await pass(10 * second);
    assert.equal(await marked(), 2);
    await pass(10 * second);
    assert.equal(await marked(), 3);
  });

  test('while no node is ready no pod is taken away, and afterwards each node has its whole time', async () => {
    await makeNode('a');
    await makeNode('b');
    await makePod('p', 'a');
    alive.clear();
    await pass(10 * minute);
    assert.equal((await getPod('p')).metadata.deletionTimestamp, undefined);
    alive.add('b');
    await pass(4 * minute);
    assert.equal((await getPod('p')).metadata.deletionTimestamp, undefined);
    await pass(2 * minute);
    await assert.rejects(getPod('p').then(({ metadata }) => assert.equal(metadata.deletionTimestamp, undefined)));
  });

  test('a clock that is set forward costs no node its pods', async () => {
    await makeNode('a');
    await makeNode('b');
    await makePod('p', 'a');
    await pass(20 * second);
    fixture.clock.setBy(10 * minute);
    // The other one reports before the next look, so that it is not the network that seems to fail.
    await report('b', 'True');
    await fixture.pass(6 * second);
    assert.equal((await getPod('p')).metadata.deletionTimestamp, undefined);
    assert.equal((await ready('a'))?.status, 'True');
  });

  test('a node that cannot be written keeps no other from being given up', async () => {
    await makeNode('a');
    await makeNode('b');
    alive.clear();
    stuck.add('a');
    await fixture.pass(50 * second);
    assert.deepEqual([(await ready('a'))?.status, (await ready('b'))?.status], ['True', 'Unknown']);
  });

  test('a pod that cannot be removed keeps no other on a node that is gone', async () => {
    await makeNode('a');
    for (const name of ['p', 'q']) await makePod(name, 'a');
    stuck.add('p');
    await client.delete(node, { name: 'a' });
    await fixture.run.settled();
    assert.deepEqual(await podNames(), ['p']);
    stuck.clear();
    await fixture.pass(10 * second);
    assert.deepEqual(await podNames(), []);
  });

  test('pods of a deleted node are removed', async () => {
    await makeNode('a');
    await makePod('p', 'a');
    await makePod('other', 'b');
    await client.delete(node, { name: 'a' });
    await fixture.run.settled();
    await assert.rejects(getPod('p'), (error) => isApiError(error, 404));
    assert.deepEqual(await podNames(), ['other']);
    assert.deepEqual((await reasons('a')).sort(), ['RegisteredNode', 'RemovingNode']);
  });

  test('a new node of the same name is another node', async () => {
    await makeNode('a');
    await client.delete(node, { name: 'a' });
    await makeNode('a');
    await pass(30 * second);
    assert.equal((await ready('a'))?.status, 'True');
  });
});
