import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { until } from '../testing/until.ts';

let fixture: AgentFixture;
beforeEach(async () => {
  fixture = await openAgent();
});
afterEach(() => fixture.close());

const startsOf = (name = 'main'): string[] => fixture.machine.record.filter((line) => line.includes(`start ${name} `));

describe('a pod that is deleted', () => {
  it('is told to end, given its grace, and then gone from the API and the machine', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: 4000 }]);
    await fixture.createPod('web', { terminationGracePeriodSeconds: 10 });
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.pass(3.5);
    assert.equal(await fixture.exists('web'), true);
    assert.equal((await fixture.containerOf('web')).ready, true);
    await fixture.pass(0.5);
    assert.equal(await fixture.exists('web'), false);
    assert.deepEqual(fixture.machine.record, ['0 start main 0', '0 stop main 10s', '4 remove main 0', '4 release web']);
    assert.equal(fixture.machine.places.size, 0);
    assert.ok((await fixture.eventsOf('web')).includes('Normal Killing'));
  });

  it('is killed when its grace is over', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    await fixture.createPod('web', { terminationGracePeriodSeconds: 3 });
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.pass(2.5);
    assert.equal(await fixture.exists('web'), true);
    await fixture.pass(0.5);
    assert.equal(await fixture.exists('web'), false);
  });

  it('ends sooner when less grace is asked for later', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    await fixture.createPod('web', { terminationGracePeriodSeconds: 100 });
    const name = { namespace: 'one', name: 'web' };
    await fixture.client.delete(podKind, name);
    await fixture.pass(5);
    await fixture.client.delete(podKind, name, { gracePeriodSeconds: 7 });
    await fixture.pass(1.5);
    assert.equal(await fixture.exists('web'), true);
    await fixture.pass(0.5);
    assert.equal(await fixture.exists('web'), false);
  });

  it('does what it wants to do before it ends, within its grace', async () => {
    let begunAt = -1;
    fixture.machine.runCommand = async ([program], { killed }) => {
      fixture.machine.note(program!);
      begunAt = fixture.clock.now();
      await new Promise<void>((resolve) => {
        const timer = fixture.clock.after(3000, resolve);
        killed.addEventListener('abort', () => {
          timer.cancel();
          resolve();
        });
      });
      return 0;
    };
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    const lifecycle = { preStop: { exec: { command: ['goodbye'] } } };
    await fixture.createPod('web', { terminationGracePeriodSeconds: 10 }, { lifecycle });
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.pass(10);
    assert.ok(begunAt >= 0);
    assert.deepEqual(fixture.machine.record.slice(1, 3), ['0 goodbye', '3 stop main 7s']);
    assert.equal(await fixture.exists('web'), false);
  });

  it('has two seconds left for the signal when its last deed takes all of the grace', async () => {
    fixture.machine.runCommand = (_command, { killed }) =>
      new Promise((resolve) => {
        killed.addEventListener('abort', () => resolve(137));
      });
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    const lifecycle = { preStop: { exec: { command: ['endless'] } } };
    await fixture.createPod('web', { terminationGracePeriodSeconds: 5 }, { lifecycle });
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.pass(7);
    assert.deepEqual(fixture.machine.record.slice(1, 2), ['5 stop main 2s']);
    assert.ok((await fixture.eventsOf('web')).includes('Warning FailedPreStopHook'));
    assert.equal(await fixture.exists('web'), false);
  });

  it('goes at once while its image is still pulled', async () => {
    fixture.machine.pulls.set('image:1', () => new Promise(() => undefined));
    const created = fixture.createPod('web');
    created.catch(() => undefined);
    await until(() => fixture.machine.places.size === 1);
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await until(async () => !(await fixture.exists('web')));
    await until(() => fixture.machine.places.size === 0);
    assert.deepEqual(startsOf(), []);
    await created;
  });

  it('without grace is killed at once, and its name is free for another', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: Infinity }]);
    await fixture.createPod('web');
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' }, { gracePeriodSeconds: 0 });
    fixture.machine.scripts.clear();
    await fixture.createPod('web');
    assert.equal(await fixture.stateOf(), 'Running ready');
    assert.equal((await fixture.getPod('web')).status.podIP?.startsWith('127.0.1.'), true);
    assert.equal(fixture.machine.places.size, 1);
    assert.equal(fixture.machine.containers.length, 1);
  });

  it('stays for those that hold it back, but ends', async () => {
    await fixture.createPod('web');
    const name = { namespace: 'one', name: 'web' };
    const finalizers = (list: string[]): Promise<Pod> =>
      fixture.client.patch(podKind, name, { merge: { metadata: { finalizers: list } } });
    await finalizers(['example.com/hold']);
    await fixture.client.delete(podKind, name);
    await fixture.pass(1);
    assert.notEqual((await fixture.containerOf('web')).state?.terminated, undefined);
    await finalizers([]);
    await fixture.settle();
    assert.equal(await fixture.exists('web'), false);
    assert.equal(fixture.machine.places.size, 0);
  });

  it('is not started again when it ends by itself meanwhile', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 2000, stopAfter: Infinity }]);
    await fixture.createPod('web');
    await fixture.pass(1);
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.pass(2);
    assert.equal(startsOf().length, 1);
    assert.equal(await fixture.exists('web'), false);
  });
});

describe('a pod that may be active only so long', () => {
  it('is stopped then, and has failed', async () => {
    fixture.machine.scripts.set('main', [{ stopAfter: 2000 }]);
    await fixture.createPod('web', { activeDeadlineSeconds: 20 });
    await fixture.pass(19.5);
    assert.equal(await fixture.stateOf(), 'Running ready');
    await fixture.pass(0.5);
    assert.deepEqual(fixture.machine.record.slice(1), ['20 stop main 30s']);
    await fixture.pass(2);
    const { status } = await fixture.getPod('web');
    assert.deepEqual([status.phase, status.reason], ['Failed', 'DeadlineExceeded']);
    await fixture.pass(60);
    assert.equal(startsOf().length, 1);
  });

  it('can be given less time while it runs', async () => {
    await fixture.createPod('web', { activeDeadlineSeconds: 100 });
    await fixture.pass(5);
    const spec = { activeDeadlineSeconds: 10 };
    await fixture.client.patch(podKind, { namespace: 'one', name: 'web' }, { merge: { spec } });
    await fixture.pass(4);
    assert.equal(await fixture.stateOf(), 'Running ready');
    await fixture.pass(1);
    assert.equal(await fixture.stateOf(), 'Failed');
  });
});
