import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { until } from '../testing/until.ts';

let fixture: AgentFixture;
/** What the commands of probes and hooks return, by name; 0 unless it is set. */
let codes: Map<string, number>;
beforeEach(async () => {
  fixture = await openAgent();
  codes = new Map();
  fixture.machine.runCommand = async ([name = '']) => {
    fixture.machine.note(name);
    return codes.get(name) ?? 0;
  };
});
afterEach(() => fixture.close());

const ready = async (): Promise<boolean> => isReady(await fixture.getPod('web'));
const command = (name: string): { exec: { command: string[] } } => ({ exec: { command: [name] } });

describe('a container with a readiness probe', () => {
  const readinessProbe = { ...command('ready'), initialDelaySeconds: 5, periodSeconds: 2, failureThreshold: 2 };

  it('is not ready until it is said to be, and not any more when that fails often enough', async () => {
    await fixture.createPod('web', {}, { readinessProbe });
    await fixture.pass(4.5);
    const { status } = await fixture.getPod('web');
    assert.equal(status.phase, 'Running');
    const condition = status.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([condition?.status, condition?.reason], ['False', 'ContainersNotReady']);
    assert.match(condition?.message ?? '', /\[main\]/);
    await fixture.pass(0.5);
    assert.equal(await ready(), true);
    codes.set('ready', 1);
    await fixture.pass(2);
    assert.equal(await ready(), true);
    await fixture.pass(2);
    assert.equal(await ready(), false);
    codes.clear();
    await fixture.pass(2);
    assert.equal(await ready(), true);
    assert.equal((await fixture.containerOf('web')).restartCount, 0);
    assert.ok((await fixture.eventsOf('web')).includes('Warning Unhealthy'));
  });

  it('keeps the pod from being ready when another one is', async () => {
    codes.set('ready', 1);
    const containers = [{ name: 'main', image: 'x', readinessProbe }, { name: 'side', image: 'x' }]; // prettier-ignore
    await fixture.createPod('web', { containers });
    await fixture.pass(10);
    assert.equal(await ready(), false);
    assert.equal((await fixture.containerOf('web', 'side')).ready, true);
  });

  it('stays ready when the agent is started again', async () => {
    await fixture.createPod('web', {}, { readinessProbe });
    await fixture.pass(5);
    assert.equal(await ready(), true);
    const since = (await fixture.getPod('web')).status.conditions?.[1]?.lastTransitionTime;
    fixture.clock.step(10_000);
    await fixture.restart();
    await fixture.pass(3);
    const condition = (await fixture.getPod('web')).status.conditions?.[1];
    assert.deepEqual([condition?.status, condition?.lastTransitionTime], ['True', since]);
  });
});

describe('a container with a liveness probe', () => {
  const livenessProbe = { ...command('alive'), initialDelaySeconds: 3, periodSeconds: 5, failureThreshold: 2 };

  it('is stopped and started again when that fails often enough', async () => {
    codes.set('alive', 1);
    fixture.machine.scripts.set('main', [{ stopAfter: 2000 }, {}]);
    await fixture.createPod('web', { terminationGracePeriodSeconds: 4 }, { livenessProbe });
    await fixture.pass(8);
    codes.clear();
    await fixture.pass(10);
    const record = fixture.machine.record.filter((line) => !line.endsWith('alive'));
    assert.deepEqual(record, ['0 start main 0', '8 stop main 4s', '10 start main 1']);
    const probes = fixture.machine.record.filter((line) => line.endsWith('alive'));
    assert.deepEqual(probes, ['3 alive', '8 alive', '13 alive', '18 alive']);
    const { restartCount, lastState } = await fixture.containerOf('web');
    assert.deepEqual([restartCount, lastState?.terminated?.exitCode, lastState?.terminated?.signal], [1, 143, 15]);
    const events = await fixture.eventsOf('web');
    assert.ok(events.includes('Warning Unhealthy') && events.includes('Normal Killing'));
  });

  it('that is not to be started again has failed', async () => {
    codes.set('alive', 1);
    await fixture.createPod('web', { restartPolicy: 'Never' }, { livenessProbe });
    await fixture.pass(10);
    assert.equal((await fixture.getPod('web')).status.phase, 'Failed');
  });

  it('is killed when the probe takes too long', async () => {
    fixture.machine.runCommand = (_command, { killed }) =>
      new Promise((resolve) => {
        killed.addEventListener('abort', () => resolve(137));
      });
    const probe = { ...livenessProbe, timeoutSeconds: 2, failureThreshold: 1 };
    await fixture.createPod('web', {}, { livenessProbe: probe });
    await fixture.pass(4.5);
    assert.equal((await fixture.containerOf('web')).restartCount, 0);
    await fixture.pass(0.5);
    assert.equal((await fixture.containerOf('web')).restartCount, 1);
  });
});

describe('a container with something to do after its start', () => {
  const lifecycle = { postStart: command('hello') };

  it('does that before the next one is started, and before it is probed', async () => {
    const livenessProbe = { ...command('alive'), periodSeconds: 5 };
    const containers = [{ name: 'main', image: 'x', lifecycle, livenessProbe }, { name: 'side', image: 'x' }]; // prettier-ignore
    await fixture.createPod('web', { containers });
    assert.deepEqual(fixture.machine.record, ['0 start main 0', '0 hello', '0 start side 0', '0 alive']);
  });

  it('is started again when it ends before that is done', async () => {
    fixture.machine.scripts.set('main', [{ runFor: 1000, exitCode: 1 }, {}]);
    let calls = 0;
    fixture.machine.runCommand = (_command, { killed }) =>
      ++calls > 1 ? Promise.resolve(0) : new Promise((resolve) => killed.addEventListener('abort', () => resolve(137)));
    const created = fixture.createPod('web', {}, { lifecycle });
    await until(() => calls === 1);
    fixture.clock.step(1000);
    await created;
    assert.deepEqual(fixture.machine.record, ['0 start main 0', '1 start main 1']);
    assert.equal(calls, 2);
  });

  it('is stopped when that fails', async () => {
    codes.set('hello', 1);
    await fixture.createPod('web', { restartPolicy: 'Never' }, { lifecycle });
    assert.equal((await fixture.getPod('web')).status.phase, 'Failed');
    assert.ok((await fixture.eventsOf('web')).includes('Warning FailedPostStartHook'));
  });
});
