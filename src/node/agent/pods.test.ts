import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pod as podKind } from '../../kinds/core/pod.ts';
import { RuntimeError } from '../runtime.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { until } from '../testing/until.ts';

let fixture: AgentFixture;
beforeEach(async () => {
  fixture = await openAgent();
});
afterEach(() => fixture.close());

const startsOf = (name = 'main'): string[] => fixture.machine.record.filter((line) => line.includes(`start ${name} `));

describe('a pod', () => {
  it('runs, with all that its status has to tell', async () => {
    await fixture.createPod('web');
    const { status, metadata } = await fixture.getPod('web');
    assert.equal(status.phase, 'Running');
    assert.equal(status.hostIP, '127.0.0.1');
    assert.equal(status.podIP, '127.0.1.1');
    assert.equal(status.startTime, metadata.creationTimestamp);
    assert.deepEqual(
      status.conditions?.map(({ type, status }) => `${type} ${status}`),
      ['Initialized True', 'Ready True', 'PodScheduled True'],
    );
    assert.deepEqual(status.containerStatuses, [
      {
        name: 'main',
        state: { running: { startedAt: metadata.creationTimestamp } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: 'image:1',
        imageID: 'scripted://image:1',
        containerID: 'scripted://1',
      },
    ]);
    assert.deepEqual(await fixture.eventsOf('web'), ['Normal Pulled', 'Normal Created', 'Normal Started']);
  });

  it('has its containers started in their order, each after the one before', async () => {
    let release: (() => void) | undefined;
    fixture.machine.pulls.set('slow', () => new Promise((resolve) => (release = resolve)));
    const containers = ['a', 'b', 'c'].map((name) => ({ name, image: name === 'b' ? 'slow' : 'x' }));
    const created = fixture.createPod('web', { containers });
    await until(() => release !== undefined);
    assert.deepEqual(fixture.machine.record, ['0 start a 0']);
    release?.();
    await created;
    assert.deepEqual(fixture.machine.record, ['0 start a 0', '0 start b 0', '0 start c 0']);
    assert.equal(await fixture.stateOf(), 'Running ready');
  });

  it('is pending until every container has run', async () => {
    fixture.machine.pulls.set('bad', () => {
      throw new RuntimeError('ErrImagePull', 'there is no such image');
    });
    await fixture.createPod('web', { containers: [{ name: 'a', image: 'bad' }, { name: 'b', image: 'x' }] }); // prettier-ignore
    assert.equal(await fixture.stateOf(), 'Pending');
    assert.equal((await fixture.containerOf('web', 'b')).ready, true);
    const { state } = await fixture.containerOf('web', 'a');
    assert.deepEqual(state, { waiting: { reason: 'ErrImagePull', message: 'there is no such image' } });
    await fixture.pass(10);
    assert.equal((await fixture.containerOf('web', 'a')).state?.waiting?.reason, 'ImagePullBackOff');
    fixture.machine.pulls.clear();
    await fixture.pass(19);
    assert.equal(await fixture.stateOf(), 'Pending');
    await fixture.pass(1);
    assert.equal(await fixture.stateOf(), 'Running ready');
  });

  it('that cannot be started shows why, and is tried again whatever its restart policy', async () => {
    fixture.machine.starts.set('main', () => {
      throw new RuntimeError('RunContainerError', 'no such program');
    });
    await fixture.createPod('web', { restartPolicy: 'Never' });
    const { state } = await fixture.containerOf('web');
    assert.deepEqual(state, { waiting: { reason: 'RunContainerError', message: 'no such program' } });
    assert.ok((await fixture.eventsOf('web')).includes('Warning Failed'));
    fixture.machine.starts.clear();
    await fixture.pass(10);
    assert.equal(await fixture.stateOf(), 'Running ready');
  });

  for (const [restartPolicy, exitCode, phase] of [
    ['Never', 0, 'Succeeded'],
    ['Never', 3, 'Failed'],
    ['OnFailure', 0, 'Succeeded'],
  ] as const) {
    it(`has ${phase.toLowerCase()} when it ends with ${exitCode} and its restart policy is ${restartPolicy}`, async () => {
      fixture.machine.scripts.set('main', [{ runFor: 5000, exitCode, message: 'last words' }]);
      await fixture.createPod('web', { restartPolicy });
      await fixture.pass(60);
      assert.equal(await fixture.stateOf(), phase);
      const { state, restartCount, ready } = await fixture.containerOf('web');
      const { terminated } = state!;
      assert.equal(terminated?.exitCode, exitCode);
      assert.equal(terminated?.reason, exitCode === 0 ? 'Completed' : 'Error');
      assert.equal(terminated?.message, 'last words');
      assert.equal(Date.parse(terminated.finishedAt!) - Date.parse(terminated.startedAt!), 5000);
      assert.deepEqual([restartCount, ready], [0, false]);
      assert.equal(startsOf().length, 1);
    });
  }

  it('with containers that end one after the other is over with the last', async () => {
    fixture.machine.scripts.set('a', [{ runFor: 1000 }]);
    fixture.machine.scripts.set('b', [{ runFor: 3000 }]);
    const containers = ['a', 'b'].map((name) => ({ name, image: 'x' }));
    await fixture.createPod('web', { restartPolicy: 'Never', containers });
    await fixture.pass(2);
    assert.equal(await fixture.stateOf(), 'Running');
    await fixture.pass(1);
    assert.equal(await fixture.stateOf(), 'Succeeded');
  });
});

describe('a container that keeps ending', () => {
  it('is started at once the first time, then after waits that double up to five minutes', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 1000, exitCode: 1 }]);
    await fixture.createPod('web');
    await fixture.pass(1 + 1 + 10 + 1 + 20 + 1 + 40 + 1 + 80 + 1 + 160 + 1 + 300 + 1 + 300);
    const starts = startsOf().map((line) => Number(line.split(' ')[0]));
    const waits = starts.slice(1).map((at, i) => at - starts[i]! - 1);
    assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('shows that it waits, how its last run ended and how often it was started again', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 1000, exitCode: 7 }]);
    await fixture.createPod('web');
    await fixture.pass(3);
    const { state, lastState, restartCount, ready } = await fixture.containerOf('web');
    assert.equal(state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(lastState?.terminated?.exitCode, 7);
    assert.equal(lastState?.terminated?.containerID, 'scripted://2');
    assert.deepEqual([restartCount, ready], [1, false]);
    assert.equal(await fixture.stateOf(), 'Running');
    assert.ok((await fixture.eventsOf('web')).includes('Warning BackOff'));
  });

  it('begins with short waits again after a run of ten minutes', async () => {
    fixture.machine.scripts.set('main', [
      { runFor: 1000 },
      { runFor: 1000 },
      { runFor: 1000 },
      { runFor: 600_000 },
      { runFor: 1000 },
      {},
    ]);
    await fixture.createPod('web');
    await fixture.pass(1 + 1 + 10 + 1 + 20 + 600 + 1 + 10);
    const starts = startsOf().map((line) => Number(line.split(' ')[0]));
    assert.deepEqual(starts, [0, 1, 12, 33, 633, 644]);
  });

  it('is started again only after failures when its restart policy says so', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 1000, exitCode: 1 }, { runFor: 1000, exitCode: 0 }]); // prettier-ignore
    await fixture.createPod('web', { restartPolicy: 'OnFailure' });
    await fixture.pass(1);
    assert.equal(await fixture.stateOf(), 'Running ready');
    await fixture.pass(60);
    assert.equal(await fixture.stateOf(), 'Succeeded');
    assert.equal((await fixture.containerOf('web')).restartCount, 1);
    assert.equal((await fixture.containerOf('web')).lastState?.terminated?.exitCode, 1);
  });
});

describe('a pod whose image is changed', () => {
  it('has that container stopped and started with the new one', async () => {
    await fixture.createPod('web', { containers: [{ name: 'main', image: 'image:1' }, { name: 'side', image: 'x' }] }); // prettier-ignore
    const patch = { spec: { containers: [{ name: 'main', image: 'image:2' }] } };
    await fixture.client.patch(podKind, { namespace: 'one', name: 'web' }, { strategic: patch });
    await fixture.pass(1);
    const { image, restartCount, imageID } = await fixture.containerOf('web');
    assert.deepEqual([image, restartCount, imageID], ['image:2', 1, 'scripted://image:2']);
    assert.equal((await fixture.containerOf('web', 'side')).restartCount, 0);
  });
});

describe('what others write', () => {
  it('into the status of a pod is set right, but for conditions of their own', async () => {
    await fixture.createPod('web');
    const pod = await fixture.getPod('web');
    pod.status = { phase: 'Pending', conditions: [{ type: 'Mine', status: 'True' }] };
    await fixture.client.updateStatus(podKind, pod);
    await fixture.settle();
    const { status } = await fixture.getPod('web');
    assert.equal(status.phase, 'Running');
    assert.equal(status.containerStatuses?.length, 1);
    const types = status.conditions?.map(({ type }) => type);
    assert.deepEqual(types, ['Initialized', 'Ready', 'PodScheduled', 'Mine']);
  });

  it('that a pod has failed ends it', async () => {
    await fixture.createPod('web');
    const pod = await fixture.getPod('web');
    pod.status = { ...pod.status, phase: 'Failed', reason: 'Evicted' };
    await fixture.client.updateStatus(podKind, pod);
    await fixture.pass(1);
    assert.notEqual(fixture.machine.find('main').exit, undefined);
    const { status } = await fixture.getPod('web');
    assert.deepEqual([status.phase, status.reason], ['Failed', 'Evicted']);
  });
});

describe('pods of other nodes', () => {
  it('are left alone', async () => {
    await fixture.createPod('web', { nodeName: 'n2' });
    assert.deepEqual(fixture.machine.record, []);
    assert.equal(await fixture.stateOf(), 'Pending');
  });
});
