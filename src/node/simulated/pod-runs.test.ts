import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { event as eventKind } from '../../kinds/core/event.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { podAnnotations } from './annotations.ts';
import { nodeNames } from './run-simulated-nodes.ts';
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

async function containerOf(name = 'web'): Promise<NonNullable<Pod['status']['containerStatuses']>[number]> {
  return (await fixture.getPod(name)).status.containerStatuses![0]!;
}

async function exists(name = 'web'): Promise<boolean> {
  return fixture.getPod(name).then(
    () => true,
    (error: unknown) => !isApiError(error, 404),
  );
}

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
    assert.equal(await fixture.stateOf(), 'Pending');
    assert.equal((await containerOf()).state?.waiting?.reason, 'ContainerCreating');
    await fixture.pass(4500);
    assert.equal(await fixture.stateOf(), 'Pending');
    await fixture.pass(500);
    assert.equal(await fixture.stateOf(), 'Running');
    await fixture.pass(3000);
    assert.equal(await fixture.stateOf(), 'Running ready');
  });

  it('becomes ready and unready as its annotations change', async () => {
    await fixture.createPod('web', { [readyAfter]: 'never' });
    await fixture.pass(60_000);
    assert.equal(await fixture.stateOf(), 'Running');
    const annotate = (value: string): Promise<Pod> =>
      fixture.client.patch(podKind, web, { merge: { metadata: { annotations: { [readyAfter]: value } } } });
    await annotate('0');
    await fixture.run.settled();
    assert.equal(await fixture.stateOf(), 'Running ready');
    await annotate('never');
    await fixture.run.settled();
    assert.equal(await fixture.stateOf(), 'Running');
  });

  it('ends when its annotations say so, and says how', async () => {
    await fixture.createPod('web', { [runFor]: '10s', [exitCode]: '3' }, { restartPolicy: 'Never' });
    await fixture.pass(9500);
    assert.equal(await fixture.stateOf(), 'Running ready');
    await fixture.pass(500);
    assert.equal(await fixture.stateOf(), 'Failed');
    const { state, ready } = await containerOf();
    assert.equal(ready, false);
    const { exitCode: code, reason, startedAt, finishedAt } = state!.terminated!;
    assert.deepEqual([code, reason, startedAt, finishedAt], [3, 'Error', '2030-01-01T00:00:00Z', '2030-01-01T00:00:10Z']); // prettier-ignore
    await fixture.createPod('other', { [runFor]: '1s' }, { restartPolicy: 'Never' });
    await fixture.pass(1000);
    assert.equal(await fixture.stateOf('other'), 'Succeeded');
    assert.equal((await containerOf('other')).state?.terminated?.reason, 'Completed');
  });

  it('of a job ends after a second', async () => {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job', controller: true }];
    await fixture.createPod('web', {}, { restartPolicy: 'Never', metadata: { ownerReferences } });
    assert.equal(await fixture.stateOf(), 'Running ready');
    await fixture.pass(1000);
    assert.equal(await fixture.stateOf(), 'Succeeded');
  });

  it('that is always restarted counts its restarts, and waits longer each time', async () => {
    await fixture.createPod('web', { [runFor]: '1s', [exitCode]: '1' });
    const counts: number[] = [];
    await fixture.pass(1000);
    const { state, lastState } = await containerOf();
    assert.equal(state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(lastState?.terminated?.exitCode, 1);
    assert.equal(await fixture.stateOf(), 'Running');
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
    assert.equal(await fixture.stateOf(), 'Succeeded');
    assert.equal((await containerOf()).restartCount, 2);
  });

  it('begins with as many restarts as its annotations say', async () => {
    await fixture.createPod('web', { [restartCount]: '7' });
    assert.equal((await containerOf()).restartCount, 7);
  });

  it('fails when it is active for too long', async () => {
    await fixture.createPod('web', {}, { activeDeadlineSeconds: 30 });
    await fixture.pass(29_500);
    assert.equal(await fixture.stateOf(), 'Running ready');
    await fixture.pass(500);
    const { status } = await fixture.getPod('web');
    assert.deepEqual([status.phase, status.reason], ['Failed', 'DeadlineExceeded']);
  });

  it('with annotations that cannot be read is told so, once', async () => {
    await fixture.createPod('web', { [runFor]: 'soon', [exitCode]: '1,x', [readyAfter]: 'no', [restartCount]: '-1' });
    assert.equal(await fixture.stateOf(), 'Running ready');
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
    assert.equal(await fixture.stateOf('ending'), 'Running ready');
    await fixture.pass(500);
    assert.equal(await fixture.stateOf('ending'), 'Succeeded');
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
    assert.equal(await fixture.stateOf(), 'Running ready');
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
