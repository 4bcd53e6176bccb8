import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { changeObject } from '../client/change-object.ts';
import { SharedInformers } from '../client/shared-informers.ts';
import { node as nodeKind } from '../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../kinds/core/pod.ts';
import { conditionOf } from '../kinds/core/pod/pod-state.ts';
import { service as serviceKind } from '../kinds/core/service.ts';
import { runScheduler } from './run-scheduler.ts';
import { schedulerNameAnnotation } from './scheduler.ts';
import { testNode, testPod } from './testing/objects.ts';
import { openScheduler, type SchedulerFixture } from './testing/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openScheduler();
});
afterEach(() => fixture.close());

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `p${i}`);

async function reopen(options: Parameters<typeof openScheduler>[0]): Promise<void> {
  await fixture.close();
  fixture = await openScheduler(options);
}

async function podsByNode(): Promise<Map<string, Pod[]>> {
  const { items } = await fixture.client.list(podKind, { namespace: 'one' });
  const byNode = new Map<string, Pod[]>();
  for (const pod of items) {
    const { nodeName = '' } = pod.spec;
    byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), pod]);
  }
  return byNode;
}

describe('a pod that fits', () => {
  it('is bound, and an event says where', async () => {
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(testPod('web', { requests: { cpu: '1', memory: '1Gi' } }));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), 'n1');
    const [scheduled, ...others] = await fixture.eventsOf('web');
    assert.deepEqual(others, []);
    assert.equal(scheduled?.reason, 'Scheduled');
    assert.equal(scheduled?.type, 'Normal');
    assert.equal(scheduled?.message, 'Assigned one/web to node n1');
    assert.equal(scheduled?.source?.component, 'default-scheduler');
  });

  it('goes to the only node that suits it', async () => {
    await fixture.createNodes(
      testNode('closed', { unschedulable: true }),
      testNode('sick', { conditions: { Ready: 'Unknown' } }),
      testNode('small', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } }),
      testNode('right', { metadata: { labels: { disk: 'ssd' } } }),
      testNode('plain'),
    );
    await fixture.createPods(testPod('web', { requests: { cpu: '2' }, nodeSelector: { disk: 'ssd' } }));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), 'right');
  });

  it('that was there before the scheduler is seen to as well', async () => {
    await fixture.run.close();
    await fixture.createNodes(testNode('n1'));
    await fixture.createPods(testPod('web'));
    const second = runScheduler(fixture);
    await second.settled();
    await second.close();
    assert.equal(await fixture.nodeOf('web'), 'n1');
  });
});

describe('a pod that fits nowhere', () => {
  it('is told why, in an event and in its status', async () => {
    await fixture.createNodes(
      testNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } }),
      testNode('n2', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } }),
      testNode('n3', { unschedulable: true }),
    );
    await fixture.createPods(testPod('web', { requests: { cpu: '2' } }));
    await fixture.run.settled();
    const pod = await fixture.getPod('web');
    assert.equal(pod.spec.nodeName, undefined);
    const message = '0 of 3 nodes can take the pod: 2 with insufficient cpu, 1 marked unschedulable';
    const [failed] = await fixture.eventsOf('web');
    assert.deepEqual([failed?.reason, failed?.type, failed?.message], ['FailedScheduling', 'Warning', message]);
    const { status, reason, message: told } = conditionOf(pod, 'PodScheduled') ?? {};
    assert.deepEqual([status, reason, told], ['False', 'Unschedulable', message]);
  });

  it('is not written to again while nothing changes', async () => {
    await fixture.createPods(testPod('web'));
    await fixture.run.settled();
    const { resourceVersion } = (await fixture.getPod('web')).metadata;
    await fixture.pass(60_000);
    const pod = await fixture.getPod('web');
    assert.equal(conditionOf(pod, 'PodScheduled')?.message, 'there are no nodes');
    assert.equal(pod.metadata.resourceVersion, resourceVersion);
    assert.equal((await fixture.eventsOf('web'))[0]?.count, 1);
  });

  it('is told again after a long time, because events do not live for ever', async () => {
    await fixture.createPods(testPod('web'));
    await fixture.run.settled();
    await fixture.pass(5 * 60_000);
    assert.equal((await fixture.eventsOf('web'))[0]?.count, 2);
  });

  it('is bound when a node comes', async () => {
    await fixture.createPods(testPod('web'));
    await fixture.run.settled();
    await fixture.createNodes(testNode('n1'));
    await fixture.pass(1000);
    assert.equal(await fixture.nodeOf('web'), 'n1');
  });

  it('is bound soon after a node comes, however often it failed before', async () => {
    await fixture.createNodes(testNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } }));
    await fixture.createPods(testPod('big', { requests: { cpu: '2' } }));
    for (const name of names(8)) {
      await fixture.createPods(testPod(name));
      await fixture.run.settled();
      await fixture.client.delete(podKind, { namespace: 'one', name }, { gracePeriodSeconds: 0 });
      await fixture.pass(60_000);
    }
    await fixture.createNodes(testNode('n2'));
    await fixture.pass(1000);
    assert.equal(await fixture.nodeOf('big'), 'n2');
  });

  it('is bound when its node is opened, becomes ready or gets the label', async () => {
    await fixture.createNodes(
      testNode('n1', { unschedulable: true, conditions: { Ready: 'False' }, metadata: { labels: { disk: 'hdd' } } }),
    );
    await fixture.createPods(testPod('web', { nodeSelector: { disk: 'ssd' } }));
    await fixture.run.settled();
    const name = { name: 'n1' };
    await fixture.client.patch(nodeKind, name, { merge: { spec: { unschedulable: false } } });
    await fixture.pass(2000);
    await changeObject(fixture.client, {
      kind: nodeKind,
      name,
      part: 'status',
      change: (node) => void (node.status.conditions = [{ type: 'Ready', status: 'True' }]),
    });
    await fixture.pass(2000);
    assert.equal(await fixture.nodeOf('web'), '');
    await fixture.client.patch(nodeKind, name, { merge: { metadata: { labels: { disk: 'ssd' } } } });
    await fixture.pass(2000);
    assert.equal(await fixture.nodeOf('web'), 'n1');
  });

  it('is bound when a pod that was in its way is gone or has ended', async () => {
    await fixture.createNodes(testNode('n1'));
    const big = { requests: { cpu: '3' } };
    await fixture.createPods(testPod('first', big));
    await fixture.run.settled();
    await fixture.createPods(testPod('second', big));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('second'), '');
    await fixture.client.delete(podKind, { namespace: 'one', name: 'first' }, { gracePeriodSeconds: 0 });
    await fixture.pass(1500);
    assert.equal(await fixture.nodeOf('second'), 'n1');
    await fixture.createPods(testPod('third', big));
    await fixture.run.settled();
    await changeObject(fixture.client, {
      kind: podKind,
      name: { namespace: 'one', name: 'second' },
      part: 'status',
      change: (pod) => void (pod.status.phase = 'Succeeded'),
    });
    await fixture.pass(1500);
    assert.equal(await fixture.nodeOf('third'), 'n1');
  });

  it('is looked at again when it changes itself', async () => {
    const taints = JSON.stringify([{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }]);
    await fixture.createNodes(
      testNode('n1', { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/taints': taints } } }),
    );
    await fixture.createPods(testPod('web'));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), '');
    const tolerations = JSON.stringify([{ key: 'gpu', operator: 'Exists' }]);
    const annotations = { 'scheduler.alpha.kubernetes.io/tolerations': tolerations };
    await fixture.client.patch(podKind, { namespace: 'one', name: 'web' }, { merge: { metadata: { annotations } } });
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('web'), 'n1');
  });
});

describe('many pods', () => {
  it('are all bound, and no node gets more than it has', async () => {
    await reopen({ parallelBinds: 16 });
    const allocatable = { cpu: '2', memory: '4Gi', pods: '10' };
    await fixture.createNodes(...Array.from({ length: 100 }, (_, i) => testNode(`n${i}`, { allocatable })));
    const requests = { cpu: '200m', memory: '256Mi' };
    await fixture.createPods(...names(1000).map((name) => testPod(name, { requests })));
    await fixture.run.settled();
    const byNode = await podsByNode();
    // Exactly what there is room for, so anything but perfect accounting leaves pods behind or overfills a node.
    assert.equal(byNode.size, 100);
    for (const [node, pods] of byNode) assert.equal(pods.length, 10, node);
  });

  it('beyond what there is room for wait', async () => {
    await fixture.createNodes(testNode('n1'), testNode('n2'));
    await fixture.createPods(...names(12).map((name) => testPod(name, { requests: { cpu: '900m' } })));
    await fixture.run.settled();
    const byNode = await podsByNode();
    assert.deepEqual([byNode.get('n1')?.length, byNode.get('n2')?.length, byNode.get('')?.length], [4, 4, 4]);
  });

  it('are spread evenly over equal nodes', async () => {
    await fixture.createNodes(testNode('n1'), testNode('n2'), testNode('n3'));
    await fixture.createPods(...names(9).map((name) => testPod(name)));
    await fixture.run.settled();
    for (const [node, pods] of await podsByNode()) assert.equal(pods.length, 3, node);
  });

  it('of one service are spread even where other pods make nodes unequal', async () => {
    const labels = { app: 'web' };
    await fixture.client.create(serviceKind, {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'one' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    await fixture.createNodes(testNode('busy'), testNode('idle'));
    await fixture.createPods(testPod('other', { nodeName: 'busy', requests: { cpu: '500m', memory: '1Gi' } }));
    await fixture.createPods(...names(4).map((name) => testPod(name, { metadata: { labels } })));
    await fixture.run.settled();
    const byNode = await podsByNode();
    assert.deepEqual([byNode.get('busy')?.length, byNode.get('idle')?.length], [3, 2]);
  });

  it('that want the same host port go to different nodes, and the last one to none', async () => {
    await fixture.createNodes(testNode('n1'), testNode('n2'));
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    await fixture.createPods(...names(3).map((name) => testPod(name, { ports })));
    await fixture.run.settled();
    const byNode = await podsByNode();
    assert.deepEqual([byNode.get('n1')?.length, byNode.get('n2')?.length, byNode.get('')?.length], [1, 1, 1]);
    const [left] = byNode.get('') ?? [];
    const told = conditionOf(left!, 'PodScheduled')?.message;
    assert.equal(told, '0 of 2 nodes can take the pod: 2 with the host port taken');
  });
});

describe('schedulers', () => {
  it('leave pods of others alone', async () => {
    await fixture.createNodes(testNode('n1'));
    const named = (name: string): Pod =>
      testPod(`for-${name}`, { metadata: { annotations: { [schedulerNameAnnotation]: name } } });
    await fixture.createPods(named('default-scheduler'), named('mine'), testPod('for-nobody'));
    await fixture.run.settled();
    assert.equal(await fixture.nodeOf('for-default-scheduler'), 'n1');
    assert.equal(await fixture.nodeOf('for-nobody'), 'n1');
    assert.equal(await fixture.nodeOf('for-mine'), '');
    const mine = runScheduler({ ...fixture, name: 'mine' });
    await mine.settled();
    await mine.close();
    assert.equal(await fixture.nodeOf('for-mine'), 'n1');
  });

  it('that do the same work give every pod one node', async () => {
    const second = runScheduler(fixture);
    await second.started;
    await fixture.createNodes(testNode('n1'), testNode('n2'));
    await fixture.createPods(...names(40).map((name) => testPod(name, { requests: { cpu: '100m' } })));
    await fixture.run.settled();
    await second.settled();
    await second.close();
    const byNode = await podsByNode();
    assert.equal((byNode.get('n1')?.length ?? 0) + (byNode.get('n2')?.length ?? 0), 40);
  });
});

describe('closing', () => {
  it('ends the run, and nothing is bound any more', async () => {
    await fixture.createNodes(testNode('n1'));
    await fixture.run.close();
    await fixture.createPods(testPod('web'));
    await setImmediate();
    assert.equal(await fixture.nodeOf('web'), '');
  });

  it('before the start makes that fail', async () => {
    const run = runScheduler({ ...fixture, signal: AbortSignal.abort() });
    await assert.rejects(run.started, /stopped/);
    await run.close();
  });

  it('leaves informers open that others use', async () => {
    const informers = new SharedInformers(fixture);
    const run = runScheduler({ ...fixture, informers });
    const starting = assert.rejects(run.started, /stopped/);
    await run.close();
    await starting;
    await informers.synced();
    informers.close();
  });
});
