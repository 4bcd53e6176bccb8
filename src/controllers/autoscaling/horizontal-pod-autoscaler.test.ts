import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { changeObject } from '../../client/change-object.ts';
import { nameOf } from '../../client/object-name.ts';
import { event } from '../../kinds/core/event.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { cpuUsageAnnotation } from '../../kinds/core/pod/usage-annotations.ts';
import { isActive, isReady } from '../../kinds/core/pod/pod-state.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { deployment } from '../../kinds/extensions/deployment.ts';
import {
  horizontalPodAutoscaler as autoscalerKind,
  type HorizontalPodAutoscalerSpec,
  type HorizontalPodAutoscalerStatus,
} from '../../kinds/extensions/horizontal-pod-autoscaler.ts';
import { replicaSet } from '../../kinds/extensions/replica-set.ts';
import type { Attempt } from '../../registry/admission.ts';
import { deployments } from '../deployment/deployment.ts';
import { replicaSets } from '../replica-set.ts';
import { replicationControllers } from '../replication-controller.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { PodDriver } from '../testing/pod-driver.ts';
import { podAutoscalers } from './horizontal-pod-autoscaler.ts';

const web = { namespace: 'one', name: 'web' };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '100m' } } }] },
};
const scalable = { Deployment: deployment, ReplicaSet: replicaSet };

describe('an autoscaler', () => {
  let fixture: ControllerFixture;
  let driver: PodDriver;
  /** Called when the deployment is about to be changed. */
  let beforeChange: () => Promise<void>;
  beforeEach(async () => {
    beforeChange = () => Promise.resolve();
    const mutate = ({ operation }: Attempt): Promise<void> =>
      operation === 'update' ? beforeChange() : Promise.resolve();
    const controllers = [podAutoscalers(), deployments, replicaSets, replicationControllers];
    fixture = await openControllers(controllers, { admission: [{ name: 'Noting', kinds: [deployment], mutate }] });
    driver = new PodDriver(fixture, 'one');
  });
  afterEach(() => fixture.close());

  async function workload(replicas: number, kind: keyof typeof scalable = 'Deployment'): Promise<void> {
    const body = { kind: '', apiVersion: '', metadata: { ...web }, spec: { replicas, template } };
    if (kind === 'Deployment') await fixture.client.create(deployment, body);
    else await fixture.client.create(replicaSet, body);
    await run();
  }

  async function autoscale(spec: Partial<HorizontalPodAutoscalerSpec>, kind = 'Deployment'): Promise<void> {
    const scaleRef = { kind, name: 'web', subresource: 'scale' };
    const metadata = { ...web };
    const body = { kind: '', apiVersion: '', metadata, spec: { scaleRef, maxReplicas: 10, ...spec } };
    await fixture.client.create(autoscalerKind, body);
    await fixture.run.settled();
  }

  /** Lets every pod run. */
  async function run(): Promise<void> {
    await fixture.run.settled();
    for (const pod of (await driver.list()).filter(isActive)) if (!isReady(pod)) await driver.ready(pod);
    await fixture.run.settled();
  }

  /** Lets every pod use so much, in thousandths, and time pass until that is looked at. */
  async function use(cpu: number): Promise<void> {
    for (const pod of await driver.list()) {
      const change = (known: Pod) => void (known.metadata.annotations = { [cpuUsageAnnotation]: `${cpu}m` });
      await changeObject(fixture.client, { kind: podKind, name: nameOf(pod), change });
    }
    await fixture.pass(30_000);
    await run();
  }

  async function replicas(): Promise<number | undefined> {
    return (await fixture.client.get(deployment, web)).spec.replicas;
  }

  async function status(): Promise<HorizontalPodAutoscalerStatus | undefined> {
    return (await fixture.client.get(autoscalerKind, web)).status;
  }

  async function told(reason: string): Promise<string[]> {
    const { items } = await fixture.client.list(event, { namespace: 'one' });
    return items.filter((each) => each.reason === reason).map(({ message = '' }) => message);
  }

  test('adds pods when they are too busy, and says so', async () => {
    await workload(2);
    await autoscale({ cpuUtilization: { targetPercentage: 50 } });
    await use(120);
    assert.equal(await replicas(), 5);
    assert.equal((await driver.list()).filter(isActive).length, 5);
    const { lastScaleTime, ...counts } = (await status())!;
    assert.deepEqual(counts, { currentReplicas: 2, desiredReplicas: 5, currentCPUUtilizationPercentage: 120 });
    assert.equal(lastScaleTime, '2030-01-01T00:00:30Z');
    assert.deepEqual(await told('SuccessfulRescale'), ['New size: 5; reason: CPU utilization above target']);
  });

  test('takes pods away when they have little to do, but not below the fewest', async () => {
    await workload(6);
    await autoscale({ minReplicas: 2 });
    await use(40);
    assert.equal(await replicas(), 3);
    await use(0);
    assert.equal(await replicas(), 3);
    await fixture.pass(300_000);
    assert.equal(await replicas(), 2);
    assert.equal((await status())?.desiredReplicas, 2);
  });

  test('remembers when it scaled, even if somebody changes it in that moment', async () => {
    await workload(2);
    await autoscale({ cpuUtilization: { targetPercentage: 50 } });
    beforeChange = async () => {
      beforeChange = () => Promise.resolve();
      await fixture.client.patch(autoscalerKind, web, { merge: { metadata: { labels: { team: 'blue' } } } });
    };
    await use(120);
    const { metadata, status } = await fixture.client.get(autoscalerKind, web);
    assert.deepEqual([await replicas(), metadata.labels], [5, { team: 'blue' }]);
    assert.equal(status?.lastScaleTime, '2030-01-01T00:00:30Z');
  });

  test('does nothing while usage is near the target', async () => {
    await workload(4);
    await autoscale({ cpuUtilization: { targetPercentage: 100 } });
    for (const cpu of [91, 100, 110]) {
      await use(cpu);
      assert.equal(await replicas(), 4);
      assert.equal((await status())?.currentCPUUtilizationPercentage, cpu);
    }
    await use(111);
    assert.equal(await replicas(), 5);
  });

  test('waits three minutes before it adds again, and five before it takes away', async () => {
    await workload(1);
    await autoscale({ cpuUtilization: { targetPercentage: 50 } });
    await use(100);
    assert.equal(await replicas(), 2);
    await use(100);
    await fixture.pass(120_000);
    assert.equal(await replicas(), 2);
    assert.equal((await status())?.desiredReplicas, 2);
    await fixture.pass(30_000);
    assert.equal(await replicas(), 4);
    await run();
    await use(10);
    await fixture.pass(240_000);
    assert.equal(await replicas(), 4);
    await fixture.pass(30_000);
    assert.equal(await replicas(), 1);
  });

  test('keeps within its bounds whatever the usage', async () => {
    await workload(2);
    await autoscale({ minReplicas: 3, maxReplicas: 4 });
    assert.equal(await replicas(), 3);
    assert.deepEqual(await told('SuccessfulRescale'), [
      'New size: 3; reason: Current number of replicas below Spec.MinReplicas',
    ]);
    await run();
    await fixture.pass(180_000);
    await use(1000);
    assert.equal(await replicas(), 4);
    await fixture.client.patch(autoscalerKind, web, { merge: { spec: { minReplicas: 1, maxReplicas: 2 } } });
    await fixture.pass(330_000);
    assert.equal(await replicas(), 2);
  });

  test('leaves alone what was scaled to nothing', async () => {
    await workload(0);
    await autoscale({ minReplicas: 2 });
    await fixture.pass(60_000);
    assert.equal(await replicas(), 0);
  });

  test('does nothing while the usage of a pod is not known, and says why', async () => {
    await workload(2);
    await autoscale({});
    assert.equal(await replicas(), 2);
    const [message] = await told('FailedGetMetrics');
    assert.match(message ?? '', /the CPU usage of 2 of 2 pods is not known/);
    assert.equal((await status())?.currentCPUUtilizationPercentage, undefined);
    assert.equal((await told('FailedComputeReplicas')).length, 1);
    assert.deepEqual(await status(), { currentReplicas: 2, desiredReplicas: 0 });
  });

  test('what was last decided stays while usage is not known', async () => {
    await workload(2);
    await autoscale({ cpuUtilization: { targetPercentage: 50 } });
    await use(120);
    const { lastScaleTime } = (await status())!;
    await fixture.client.patch(deployment, web, { merge: { spec: { replicas: 3 } } });
    await run();
    for (const pod of await driver.list()) {
      const change = (known: Pod) => void (known.metadata.annotations = {});
      await changeObject(fixture.client, { kind: podKind, name: nameOf(pod), change });
    }
    await fixture.pass(30_000);
    assert.deepEqual(await status(), {
      currentReplicas: 3,
      desiredReplicas: 5,
      currentCPUUtilizationPercentage: 120,
      lastScaleTime,
    });
  });

  test('pods that do not run yet are not taken for idle ones', async () => {
    await workload(2);
    await autoscale({ cpuUtilization: { targetPercentage: 50 } });
    await use(100);
    assert.equal(await replicas(), 4);
    await fixture.client.patch(deployment, web, { merge: { spec: { replicas: 6 } } });
    await fixture.run.settled();
    for (const pod of (await driver.list()).filter(isReady)) {
      const change = (known: Pod) => void (known.metadata.annotations = { [cpuUsageAnnotation]: '20m' });
      await changeObject(fixture.client, { kind: podKind, name: nameOf(pod), change });
    }
    await fixture.pass(330_000);
    // Four run at 40% of what they should: two would do, and two more are still to come.
    assert.equal(await replicas(), 4);
  });

  test('pods that do not ask for CPU cannot be scaled by it', async () => {
    const spec = { replicas: 1, template: { ...template, spec: { containers: [{ name: 'main', image: 'web:1' }] } } };
    await fixture.client.create(deployment, { kind: '', apiVersion: '', metadata: { ...web }, spec });
    await run();
    await autoscale({});
    const [message] = await told('FailedGetMetrics');
    assert.match(message ?? '', /container main of pod web-\S+ does not request CPU/);
  });

  test('scales replica sets and replication controllers, too', async () => {
    await workload(1, 'ReplicaSet');
    await autoscale({ minReplicas: 2 }, 'ReplicaSet');
    assert.equal((await fixture.client.get(replicaSet, web)).spec.replicas, 2);
    const metadata = { ...web };
    await fixture.client.delete(autoscalerKind, web);
    await fixture.client.create(replicationController, {
      kind: '',
      apiVersion: '',
      metadata,
      spec: { replicas: 1, selector: { app: 'rc' }, template: { ...template, metadata: { labels: { app: 'rc' } } } },
      status: { replicas: 0 },
    });
    await autoscale({ minReplicas: 2 }, 'ReplicationController');
    assert.equal((await fixture.client.get(replicationController, web)).spec.replicas, 2);
  });

  test('a workload that is not there, or cannot be scaled, is told and looked for again', async () => {
    await autoscale({ minReplicas: 2 });
    assert.match((await told('FailedGetScale'))[0] ?? '', /not found/);
    await workload(1);
    await fixture.pass(30_000);
    assert.equal(await replicas(), 2);
    await fixture.client.delete(autoscalerKind, web);
    await autoscale({}, 'DaemonSet');
    assert.ok((await told('FailedGetScale')).includes('DaemonSet is no kind that can be scaled'));
  });
});
