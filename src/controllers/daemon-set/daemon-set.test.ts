import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { nameOf } from '../../client/object-name.ts';
import { event } from '../../kinds/core/event.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { isActive, isReady } from '../../kinds/core/pod/pod-state.ts';
import { daemonSet, type DaemonSet } from '../../kinds/extensions/daemon-set.ts';
import { controllerOf } from '../../kinds/meta/controller-reference.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { PodDriver } from '../testing/pod-driver.ts';
import { daemonSets } from './daemon-set.ts';

const agent = { namespace: 'one', name: 'agent' };

interface NodeOptions {
  readonly labels?: Record<string, string>;
  readonly unschedulable?: boolean;
  readonly conditions?: Node['status']['conditions'];
}

describe('a daemon set', () => {
  let fixture: ControllerFixture;
  let driver: PodDriver;
  beforeEach(async () => {
    fixture = await openControllers([daemonSets]);
    driver = new PodDriver(fixture, 'one');
  });
  afterEach(() => fixture.close());

  async function addNode(name: string, { labels, unschedulable, conditions }: NodeOptions = {}): Promise<void> {
    const status = { ...nodeKind.example.status, conditions };
    const metadata = { name, labels };
    await fixture.client.create(nodeKind, { ...nodeKind.example, metadata, spec: { unschedulable }, status });
    await fixture.run.settled();
  }

  async function create(spec: Partial<PodSpec> = {}, rest: Partial<DaemonSet['spec']> = {}): Promise<DaemonSet> {
    const containers = [{ name: 'main', image: 'agent:1' }];
    const template = { metadata: { labels: { app: 'agent' } }, spec: { containers, ...spec } };
    const metadata = { ...agent };
    const body = { kind: '', apiVersion: '', metadata, spec: { ...rest, template } };
    const created = await fixture.client.create(daemonSet, body);
    await fixture.run.settled();
    return created;
  }

  /** Which nodes have how many pods: `n1 n2`. */
  async function places(): Promise<string> {
    const active = (await driver.list()).filter(isActive);
    return active
      .map(({ spec }) => spec.nodeName ?? '')
      .sort()
      .join(' ');
  }

  async function status(): Promise<Record<string, unknown>> {
    return { ...(await fixture.client.get(daemonSet, agent)).status };
  }

  async function counts(): Promise<unknown[]> {
    const { desiredNumberScheduled, currentNumberScheduled, numberMisscheduled } = await status();
    return [desiredNumberScheduled, currentNumberScheduled, numberMisscheduled];
  }

  async function setImage(image: string): Promise<void> {
    const spec = { template: { spec: { containers: [{ name: 'main', image }] } } };
    await fixture.client.patch(daemonSet, agent, { merge: { spec } });
    await fixture.run.settled();
  }

  async function images(): Promise<string> {
    const active = (await driver.list()).filter(isActive);
    return active
      .map(({ spec }) => spec.containers[0]?.image ?? '')
      .sort()
      .join(' ');
  }

  async function readyAll(): Promise<void> {
    for (const pod of await driver.list()) if (isActive(pod) && !isReady(pod)) await driver.ready(pod);
    await fixture.run.settled();
  }

  test('has one pod on each node, put there directly and in its own name', async () => {
    await addNode('n1');
    await addNode('n2');
    const owner = await create();
    assert.equal(await places(), 'n1 n2');
    for (const pod of await driver.list()) {
      assert.equal(controllerOf(pod)?.uid, owner.metadata.uid);
      assert.match(pod.metadata.name ?? '', /^agent-/);
    }
    assert.deepEqual(await counts(), [2, 2, 0]);
    assert.equal((await status())['observedGeneration'], 1);
  });

  test('follows nodes that come and go', async () => {
    await create();
    assert.equal(await places(), '');
    await addNode('n1');
    await addNode('n2');
    assert.equal(await places(), 'n1 n2');
    await fixture.client.delete(nodeKind, { name: 'n1' });
    await fixture.run.settled();
    assert.equal(await places(), 'n2');
    assert.deepEqual(await counts(), [1, 1, 0]);
  });

  test('keeps to its node selector when labels of nodes change', async () => {
    await addNode('n1', { labels: { disk: 'ssd' } });
    await addNode('n2');
    await create({ nodeSelector: { disk: 'ssd' } });
    assert.equal(await places(), 'n1');
    await fixture.client.patch(nodeKind, { name: 'n2' }, { merge: { metadata: { labels: { disk: 'ssd' } } } });
    await fixture.run.settled();
    assert.equal(await places(), 'n1 n2');
    await fixture.client.patch(nodeKind, { name: 'n1' }, { merge: { metadata: { labels: { disk: null } } } });
    await fixture.run.settled();
    assert.equal(await places(), 'n2');
    const leaving = (await driver.list()).filter((pod) => !isActive(pod));
    assert.deepEqual(await counts(), [1, 1, leaving.length]);
    await driver.reap();
    await fixture.run.settled();
    assert.deepEqual(await counts(), [1, 1, 0]);
  });

  test('a node named in the template is the only one', async () => {
    await addNode('n1');
    await addNode('n2');
    await create({ nodeName: 'n2' });
    assert.equal(await places(), 'n2');
  });

  test('runs on nodes that are unschedulable or not ready, but not where the disk is full', async () => {
    await addNode('cordoned', { unschedulable: true });
    await addNode('full', { conditions: [{ type: 'OutOfDisk', status: 'True' }] });
    await addNode('waiting', { conditions: [{ type: 'Ready', status: 'False' }] });
    await create();
    assert.equal(await places(), 'cordoned waiting');
    assert.deepEqual(await counts(), [2, 2, 0]);
  });

  test('waits for room on a node that other pods fill', async () => {
    await addNode('n1');
    const big = { name: 'main', image: 'big:1', resources: { requests: { cpu: '3500m' } } };
    const metadata = { name: 'big', namespace: 'one' };
    const body: Pod = { ...podKind.example, metadata, spec: { containers: [big], nodeName: 'n1' } };
    await fixture.client.create(podKind, body);
    await create({
      containers: [{ name: 'main', image: 'agent:1', resources: { requests: { cpu: '1' } } }],
    });
    assert.equal((await driver.list()).length, 1);
    assert.deepEqual(await counts(), [0, 0, 0]);
    const { items } = await fixture.client.list(event, { namespace: 'one' });
    const [told] = items.filter(({ reason }) => reason === 'FailedPlacement');
    assert.equal(told?.message, 'Cannot put a pod on n1: there is not enough CPU left');
    assert.deepEqual([told.type, told.source?.component], ['Normal', 'daemonset-controller']);
    await fixture.client.delete(podKind, { namespace: 'one', name: 'big' }, { gracePeriodSeconds: 0 });
    await fixture.pass(30_000);
    assert.equal(await places(), 'n1');
    assert.deepEqual(await counts(), [1, 1, 0]);
  });

  test('waits for a host port that is taken', async () => {
    await addNode('n1');
    const withPort = (hostPort: number): Pod['spec'] => ({
      containers: [{ name: 'main', image: 'agent:1', ports: [{ containerPort: 80, hostPort }] }],
    });
    const taken = { ...withPort(8080), nodeName: 'n1' };
    await fixture.client.create(podKind, {
      ...podKind.example,
      metadata: { name: 'taken', namespace: 'one' },
      spec: taken,
    });
    await create(withPort(8080));
    assert.equal((await driver.list()).length, 1);
    await fixture.client.delete(daemonSet, agent);
    await create(withPort(8081));
    assert.equal((await driver.list()).length, 2);
  });

  test('tells of its pods under the name that tools know', async () => {
    await addNode('n1');
    await create();
    const { items } = await fixture.client.list(event, { namespace: 'one' });
    const told = items.map(({ reason, source }) => `${reason} ${source?.component}`);
    assert.deepEqual(told, ['SuccessfulCreate daemon-set']);
  });

  test('makes up for a pod that was deleted, when it is gone', async () => {
    await addNode('n1');
    await create();
    const [first] = await driver.list();
    await driver.ready(first!);
    await fixture.client.delete(podKind, nameOf(first!), { gracePeriodSeconds: 30 });
    await fixture.run.settled();
    assert.equal((await driver.list()).length, 1);
    await driver.reap();
    await fixture.run.settled();
    const [second] = await driver.list();
    assert.notEqual(second?.metadata.uid, first?.metadata.uid);
  });

  test('replaces a pod that ended, later each time', async () => {
    await addNode('n1');
    await create();
    const made = new Set<string | undefined>();
    const failing = async (): Promise<number> => {
      for (const pod of (await driver.list()).filter(isActive)) {
        made.add(pod.metadata.uid);
        await driver.finish(pod, 'Failed');
      }
      await fixture.run.settled();
      return made.size;
    };
    for (let second = 0; second < 60; second++) {
      await failing();
      await fixture.pass(1000);
    }
    assert.ok(made.size >= 5 && made.size <= 8, `${made.size} pods in a minute`);
  });

  test('of several on one node the oldest stays', async () => {
    await addNode('n1');
    await create();
    const [oldest] = await driver.list();
    fixture.clock.step(5000);
    const metadata = { name: 'found', namespace: 'one', labels: { app: 'agent' } };
    await fixture.client.create(podKind, { ...podKind.example, metadata, spec: { ...oldest!.spec, volumes: [] } });
    await fixture.run.settled();
    await driver.reap();
    await fixture.run.settled();
    const left = await driver.list();
    assert.deepEqual(
      left.map((pod) => pod.metadata.name),
      [oldest!.metadata.name],
    );
  });

  test('a changed template is taken up when somebody deletes a pod', async () => {
    await addNode('n1');
    await create();
    await readyAll();
    await setImage('agent:2');
    assert.equal(await images(), 'agent:1');
    assert.equal((await status())['updatedNumberScheduled'] ?? 0, 0);
    await fixture.client.delete(podKind, nameOf((await driver.list())[0]!));
    await driver.reap();
    await fixture.run.settled();
    assert.equal(await images(), 'agent:2');
    assert.equal((await status())['updatedNumberScheduled'], 1);
  });

  test('a rolling update replaces as many at a time as may be missing', async () => {
    for (const name of ['n1', 'n2', 'n3']) await addNode(name);
    const rollingUpdate = { maxUnavailable: 1 };
    await create({}, { minReadySeconds: 10, updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
    await readyAll();
    await fixture.pass(10_000);
    assert.equal((await status())['numberAvailable'], 3);
    await setImage('agent:2');
    for (let replaced = 1; replaced <= 3; replaced++) {
      assert.equal((await driver.list()).filter(isActive).length, 2);
      await driver.reap();
      await fixture.run.settled();
      await readyAll();
      assert.equal((await status())['numberReady'], 3);
      assert.equal((await status())['updatedNumberScheduled'], replaced);
      await fixture.pass(10_000);
    }
    assert.equal(await images(), 'agent:2 agent:2 agent:2');
    assert.equal((await status())['numberAvailable'], 3);
    assert.equal((await status())['numberUnavailable'] ?? 0, 0);
  });
});
