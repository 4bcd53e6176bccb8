import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SharedInformers } from '../../client/shared-informers.ts';
import { event as eventKind } from '../../kinds/core/event.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { podAnnotations, unreachableAnnotation } from './annotations.ts';
import { nodeNames, runSimulatedNodes } from './run-simulated-nodes.ts';
import { openNodes, type NodesFixture } from './testing/nodes-fixture.ts';

let fixture: NodesFixture;
beforeEach(async () => {
  fixture = await openNodes();
});
afterEach(() => fixture.close());

const { startAfter, readyAfter, runFor, exitCode, restartAfter, restartCount, stopAfter } = podAnnotations;
const web = { namespace: 'one', name: 'web' };

async function reopen(options: Parameters<typeof openNodes>[0]): Promise<void> {
  await fixture.close();
  fixture = await openNodes(options);
}

async function getNode(name = 'node-1'): Promise<Node> {
  return fixture.client.get(nodeKind, { name });
}

/** `Running ready`, `Running`, `Pending` and so on. */
async function stateOf(name = 'web'): Promise<string> {
  const pod = await fixture.getPod(name);
  return isReady(pod) ? `${pod.status.phase} ready` : (pod.status.phase ?? '');
}

async function containerOf(name = 'web'): Promise<NonNullable<Pod['status']['containerStatuses']>[number]> {
  return (await fixture.getPod(name)).status.containerStatuses![0]!;
}

async function exists(name = 'web'): Promise<boolean> {
  return fixture.getPod(name).then(
    () => true,
    (error: unknown) => !isApiError(error, 404),
  );
}

describe('simulated nodes', () => {
  it('join with what they have', async () => {
    await reopen({ names: nodeNames(3), capacity: { cpu: '16' }, labels: { zone: 'a' } });
    const { items } = await fixture.client.list(nodeKind);
    assert.deepEqual(items.map(({ metadata }) => metadata.name), ['node-1', 'node-2', 'node-3']); // prettier-ignore
    const { metadata, status, spec } = items[1]!;
    assert.deepEqual(status.allocatable, { cpu: '16', memory: '8Gi', pods: '110' });
    assert.equal(metadata.labels?.['kubernetes.io/hostname'], 'node-2');
    assert.equal(metadata.labels?.['zone'], 'a');
    assert.equal(spec.podCIDR, '10.64.1.0/24');
    const conditions = status.conditions?.map(({ type, status }) => [type, status]);
    assert.deepEqual(conditions, [['OutOfDisk', 'False'], ['Ready', 'True']]); // prettier-ignore
    assert.equal(status.addresses?.find(({ type }) => type === 'InternalIP')?.address, '172.16.0.2');
    assert.match(status.nodeInfo.containerRuntimeVersion, /^simulated:/);
  });

  it('say that they are well, one after the other', async () => {
    await reopen({ names: nodeNames(2), heartbeatMs: 10_000 });
    const beat = async (name: string): Promise<string | undefined> =>
      (await getNode(name)).status.conditions?.[1]?.lastHeartbeatTime;
    const first = await beat('node-1');
    await fixture.pass(5000);
    assert.notEqual(await beat('node-1'), first);
    assert.equal(await beat('node-2'), first);
    await fixture.pass(5000);
    assert.notEqual(await beat('node-2'), first);
  });

  it('keep what others wrote', async () => {
    const labels = { mine: 'x' };
    await fixture.client.patch(nodeKind, { name: 'node-1' }, { merge: { metadata: { labels }, spec: { unschedulable: true } } }); // prettier-ignore
    await fixture.pass(20_000);
    const node = await getNode();
    assert.equal(node.metadata.labels?.['mine'], 'x');
    assert.equal(node.spec.unschedulable, true);
  });

  it('come back as ready when they were taken for lost', async () => {
    const node = await getNode();
    node.status.conditions = [{ type: 'Ready', status: 'Unknown' }, { type: 'Other', status: 'True' }]; // prettier-ignore
    await fixture.client.updateStatus(nodeKind, node);
    await fixture.pass(10_000);
    const conditions = (await getNode()).status.conditions?.map(({ type, status }) => `${type} ${status}`);
    assert.deepEqual(conditions, ['OutOfDisk False', 'Ready True', 'Other True']);
  });

  it('stay away when they are deleted', async () => {
    await fixture.client.delete(nodeKind, { name: 'node-1' });
    await fixture.pass(30_000);
    await assert.rejects(getNode(), (error) => isApiError(error, 404));
  });

  it('fall silent when they are told to, and speak again', async () => {
    const before = (await getNode()).status.conditions?.[1]?.lastHeartbeatTime;
    const annotate = (value: string | null): Promise<Node> =>
      fixture.client.patch(nodeKind, { name: 'node-1' }, { merge: { metadata: { annotations: { [unreachableAnnotation]: value } } } }); // prettier-ignore
    await annotate('true');
    await fixture.createPod('web');
    await fixture.pass(60_000);
    assert.equal((await getNode()).status.conditions?.[1]?.lastHeartbeatTime, before);
    assert.equal(await stateOf(), 'Pending');
    await annotate(null);
    await fixture.run.settled();
    assert.notEqual((await getNode()).status.conditions?.[1]?.lastHeartbeatTime, before);
    assert.equal(await stateOf(), 'Running ready');
  });

  it('are those that were there when they start again, with the addresses that they had', async () => {
    await fixture.createPod('web');
    const [node, { status }] = [await getNode(), await fixture.getPod('web')];
    await fixture.restart({ names: nodeNames(2) });
    const again = await getNode();
    assert.equal(again.metadata.uid, node.metadata.uid);
    assert.notEqual(again.status.nodeInfo.bootID, node.status.nodeInfo.bootID);
    assert.equal((await getNode('node-2')).spec.podCIDR, '10.64.1.0/24');
    await fixture.createPod('other');
    assert.deepEqual((await fixture.getPod('web')).status, status);
    assert.notEqual((await fixture.getPod('other')).status.podIP, status.podIP);
  });

  it('of two processes have different addresses', async () => {
    const others = runSimulatedNodes({ ...fixture, names: nodeNames(2, 'other'), capacity: { pods: '500' } });
    await others.settled();
    await others.close();
    assert.equal((await getNode('other-1')).spec.podCIDR, '10.64.2.0/23');
    assert.equal((await getNode('other-1')).status.addresses?.[1]?.address, '172.16.0.2');
  });

  it('cannot be made with capacities that are none, nor twice with one name', async () => {
    assert.throws(() => runSimulatedNodes({ ...fixture, names: ['n'], capacity: { cpu: 'much' } }), RangeError);
    const run = runSimulatedNodes({ ...fixture, names: ['n', 'n'] });
    await assert.rejects(run.started, RangeError);
    await run.close();
  });

  it('cannot be made under a name that the server refuses', async () => {
    const run = runSimulatedNodes({ ...fixture, names: ['Not A Name'] });
    await assert.rejects(run.started, (error) => isApiError(error, 422));
    await run.close();
  });
});

describe('a pod on a simulated node', () => {
  it('runs and is ready at once, with one write', async () => {
    await fixture.createPod('web', {}, { containers: [{ name: 'a', image: 'x' }, { name: 'b', image: 'y' }] }); // prettier-ignore
    const { status, metadata } = await fixture.getPod('web');
    assert.equal(status.phase, 'Running');
    assert.equal(status.hostIP, '172.16.0.1');
    assert.equal(status.podIP, '10.64.0.1');
    assert.equal(status.startTime, '2030-01-01T00:00:00Z');
    const conditions = status.conditions?.map(({ type, status }) => `${type} ${status}`);
    assert.deepEqual(conditions, ['Initialized True', 'Ready True', 'PodScheduled True']);
    const containers = status.containerStatuses?.map(({ name, image, ready, restartCount, state }) => ({ name, image, ready, restartCount, state })); // prettier-ignore
    const state = { running: { startedAt: '2030-01-01T00:00:00Z' } };
    assert.deepEqual(containers, [
      { name: 'a', image: 'x', ready: true, restartCount: 0, state },
      { name: 'b', image: 'y', ready: true, restartCount: 0, state },
    ]);
    await fixture.pass(5000);
    assert.equal((await fixture.getPod('web')).metadata.resourceVersion, metadata.resourceVersion);
  });

  it('is left alone when it is on another node or on none', async () => {
    await fixture.createPod('elsewhere', {}, { nodeName: 'machine' });
    await fixture.createPod('nowhere', {}, { nodeName: undefined });
    assert.deepEqual((await fixture.getPod('elsewhere')).status, { phase: 'Pending' });
    assert.deepEqual((await fixture.getPod('nowhere')).status, { phase: 'Pending' });
  });

  it('has the address of its node when it is on its network', async () => {
    await fixture.createPod('web', {}, { hostNetwork: true });
    assert.equal((await fixture.getPod('web')).status.podIP, '172.16.0.1');
  });

  it('starts and gets ready when its annotations say so', async () => {
    await fixture.createPod('web', { [startAfter]: '5s', [readyAfter]: '3s' });
    assert.equal(await stateOf(), 'Pending');
    assert.equal((await containerOf()).state?.waiting?.reason, 'ContainerCreating');
    await fixture.pass(4500);
    assert.equal(await stateOf(), 'Pending');
    await fixture.pass(500);
    assert.equal(await stateOf(), 'Running');
    await fixture.pass(3000);
    assert.equal(await stateOf(), 'Running ready');
  });

  it('becomes ready and unready as its annotations change', async () => {
    await fixture.createPod('web', { [readyAfter]: 'never' });
    await fixture.pass(60_000);
    assert.equal(await stateOf(), 'Running');
    const annotate = (value: string): Promise<Pod> =>
      fixture.client.patch(podKind, web, { merge: { metadata: { annotations: { [readyAfter]: value } } } });
    await annotate('0');
    await fixture.run.settled();
    assert.equal(await stateOf(), 'Running ready');
    await annotate('never');
    await fixture.run.settled();
    assert.equal(await stateOf(), 'Running');
  });

  it('ends when its annotations say so, and says how', async () => {
    await fixture.createPod('web', { [runFor]: '10s', [exitCode]: '3' }, { restartPolicy: 'Never' });
    await fixture.pass(9500);
    assert.equal(await stateOf(), 'Running ready');
    await fixture.pass(500);
    assert.equal(await stateOf(), 'Failed');
    const { state, ready } = await containerOf();
    assert.equal(ready, false);
    const { exitCode: code, reason, startedAt, finishedAt } = state!.terminated!;
    assert.deepEqual([code, reason, startedAt, finishedAt], [3, 'Error', '2030-01-01T00:00:00Z', '2030-01-01T00:00:10Z']); // prettier-ignore
    await fixture.createPod('other', { [runFor]: '1s' }, { restartPolicy: 'Never' });
    await fixture.pass(1000);
    assert.equal(await stateOf('other'), 'Succeeded');
    assert.equal((await containerOf('other')).state?.terminated?.reason, 'Completed');
  });

  it('of a job ends after a second', async () => {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job', controller: true }];
    await fixture.createPod('web', {}, { restartPolicy: 'Never', metadata: { ownerReferences } });
    assert.equal(await stateOf(), 'Running ready');
    await fixture.pass(1000);
    assert.equal(await stateOf(), 'Succeeded');
  });

  it('that is always restarted counts its restarts, and waits longer each time', async () => {
    await fixture.createPod('web', { [runFor]: '1s', [exitCode]: '1' });
    const counts: number[] = [];
    await fixture.pass(1000);
    const { state, lastState } = await containerOf();
    assert.equal(state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(lastState?.terminated?.exitCode, 1);
    assert.equal(await stateOf(), 'Running');
    for (const ms of [1000, 10_000, 1000, 20_000, 1000, 40_000]) {
      await fixture.pass(ms);
      counts.push((await containerOf()).restartCount);
    }
    assert.deepEqual(counts, [1, 1, 2, 2, 3, 3]);
  });

  it('that is restarted on failure ends when it succeeds', async () => {
    const annotations = { [runFor]: '1s', [exitCode]: '1,2,0', [restartAfter]: '2s' };
    await fixture.createPod('web', annotations, { restartPolicy: 'OnFailure' });
    await fixture.pass(1000);
    assert.equal((await containerOf()).lastState?.terminated?.exitCode, 1);
    await fixture.pass(3000);
    assert.equal((await containerOf()).lastState?.terminated?.exitCode, 2);
    await fixture.pass(3000);
    assert.equal(await stateOf(), 'Succeeded');
    assert.equal((await containerOf()).restartCount, 2);
  });

  it('begins with as many restarts as its annotations say', async () => {
    await fixture.createPod('web', { [restartCount]: '7' });
    assert.equal((await containerOf()).restartCount, 7);
  });

  it('fails when it is active for too long', async () => {
    await fixture.createPod('web', {}, { activeDeadlineSeconds: 30 });
    await fixture.pass(29_500);
    assert.equal(await stateOf(), 'Running ready');
    await fixture.pass(500);
    const { status } = await fixture.getPod('web');
    assert.deepEqual([status.phase, status.reason], ['Failed', 'DeadlineExceeded']);
  });

  it('with annotations that cannot be read is told so, once', async () => {
    await fixture.createPod('web', { [runFor]: 'soon', [exitCode]: '1,x', [readyAfter]: 'no', [restartCount]: '-1' });
    assert.equal(await stateOf(), 'Running ready');
    await fixture.pass(30_000);
    const { items } = await fixture.client.list(eventKind, { namespace: 'one' });
    assert.deepEqual(items.map(({ reason, count }) => [reason, count]), [['InvalidSimulation', 1]]); // prettier-ignore
    for (const key of [runFor, exitCode, readyAfter, restartCount]) assert.match(items[0]!.message!, new RegExp(key));
  });

  it('goes on where it was when the nodes start again', async () => {
    await fixture.createPod('crashing', { [runFor]: '1s', [exitCode]: '1' });
    await fixture.createPod('ending', { [runFor]: '20s' }, { restartPolicy: 'Never' });
    await fixture.pass(5000);
    await fixture.restart();
    assert.equal((await containerOf('crashing')).restartCount, 1);
    await fixture.pass(14_500);
    assert.equal(await stateOf('ending'), 'Running ready');
    await fixture.pass(500);
    assert.equal(await stateOf('ending'), 'Succeeded');
    assert.equal((await containerOf('crashing')).restartCount, 2);
  });

  it('keeps what others wrote into its status', async () => {
    await fixture.createPod('web', { [startAfter]: '5s' });
    const pod = await fixture.getPod('web');
    pod.status.conditions!.push({ type: 'Other', status: 'True' });
    await fixture.client.updateStatus(podKind, pod);
    await fixture.pass(5000);
    const conditions = (await fixture.getPod('web')).status.conditions?.map(({ type }) => type);
    assert.deepEqual(conditions, ['Initialized', 'Ready', 'PodScheduled', 'Other']);
  });
});

describe('deleting a pod on a simulated node', () => {
  it('is done at once, and its address is free again', async () => {
    await fixture.createPod('web');
    await fixture.client.delete(podKind, web);
    await fixture.run.settled();
    assert.equal(await exists(), false);
    const addresses = new Set<string | undefined>();
    for (const name of Array.from({ length: 254 }, (_, i) => `p${i}`)) {
      await fixture.createPod(name);
      addresses.add((await fixture.getPod(name)).status.podIP);
    }
    assert.equal(addresses.size, 254);
    assert.equal(addresses.has('10.64.0.1'), true);
  });

  it('takes as long as its annotations say', async () => {
    await fixture.createPod('web', { [stopAfter]: '5s' });
    await fixture.client.delete(podKind, web);
    await fixture.pass(4500);
    assert.equal(await stateOf(), 'Running ready');
    await fixture.pass(500);
    assert.equal(await exists(), false);
  });

  it('takes no longer than its grace period', async () => {
    await fixture.createPod('web', { [stopAfter]: '1h' });
    await fixture.client.delete(podKind, web, { gracePeriodSeconds: 10 });
    await fixture.pass(9500);
    assert.equal(await exists(), true);
    await fixture.pass(500);
    assert.equal(await exists(), false);
  });

  it('waits for finalizers without writing on and on', async () => {
    await fixture.createPod('web', {}, { metadata: { finalizers: ['example.com/hold'] } });
    await fixture.client.delete(podKind, web);
    await fixture.run.settled();
    const { metadata } = await fixture.getPod('web');
    assert.equal(metadata.deletionGracePeriodSeconds, 0);
    await fixture.pass(5000);
    assert.equal((await fixture.getPod('web')).metadata.resourceVersion, metadata.resourceVersion);
    await fixture.client.patch(podKind, web, { merge: { metadata: { finalizers: null } } });
    await fixture.run.settled();
    assert.equal(await exists(), false);
  });
});

describe('many pods on many nodes', () => {
  it('all run, each with an address of its own', async () => {
    await reopen({ names: nodeNames(20), parallelWrites: 8 });
    const pods = Array.from({ length: 200 }, (_, i) =>
      fixture.createPod(`p${i}`, {}, { nodeName: `node-${(i % 20) + 1}` }),
    );
    await Promise.all(pods);
    await fixture.run.settled();
    const { items } = await fixture.client.list(podKind, { namespace: 'one' });
    assert.equal(items.filter(({ status }) => status.phase === 'Running').length, 200);
    assert.equal(new Set(items.map(({ status }) => status.podIP)).size, 200);
  });
});

describe('closing simulated nodes', () => {
  it('leaves nodes and pods as they are', async () => {
    await fixture.createPod('web', { [readyAfter]: '5s' });
    await fixture.run.close();
    fixture.clock.step(60_000);
    assert.equal(await stateOf(), 'Running');
    assert.equal((await getNode()).status.conditions?.[1]?.status, 'True');
  });

  it('before they have joined makes the start fail, and leaves informers open that others use', async () => {
    const informers = new SharedInformers(fixture);
    const run = runSimulatedNodes({ ...fixture, informers, names: ['n'] });
    const starting = assert.rejects(run.started, /stopped/);
    await run.close();
    await starting;
    await informers.synced();
    informers.close();
  });
});
