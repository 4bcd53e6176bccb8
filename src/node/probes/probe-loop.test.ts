import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import type { Probe } from '../../kinds/core/pod/probe.ts';
import { ProbeLoop } from './probe-loop.ts';

interface Bench {
  readonly clock: SteppedClock;
  readonly loop: ProbeLoop;
  /** When probes were made, in seconds from the start. */
  readonly probes: number[];
  /** `5 passing`, `9 failing`. */
  readonly changes: string[];
  readonly failures: string[];
  pass(seconds: number): Promise<void>;
}

/** Probes whose outcomes are given one by one; the last stands for all that follow. */
function openLoop(context: TestContext, probe: Probe, outcomes: readonly boolean[], isPassing: boolean): Bench {
  const clock = new SteppedClock();
  const startedAt = clock.now();
  const seconds = (): number => (clock.now() - startedAt) / 1000;
  const [probes, changes, failures]: [number[], string[], string[]] = [[], [], []];
  const loop = new ProbeLoop({
    probe,
    clock,
    startedAt,
    isPassing,
    async check() {
      probes.push(seconds());
      const ok = outcomes[Math.min(probes.length, outcomes.length) - 1] ?? true;
      return ok ? { ok } : { ok, message: `failure ${probes.length}` };
    },
    onFailure: (message) => failures.push(message),
    onChange: (isPassing) => changes.push(`${seconds()} ${isPassing ? 'passing' : 'failing'}`),
  });
  context.after(() => loop.close());
  const pass = async (seconds: number): Promise<void> => {
    clock.step(0);
    await turn();
    for (let i = 0; i < seconds; i++) {
      clock.step(1000);
      await turn();
      // What falls due at this very moment.
      clock.step(0);
      await turn();
    }
  };
  return { clock, loop, probes, changes, failures, pass };
}

test('probes begin after the initial delay and keep to their period', async (context) => {
  const bench = openLoop(context, { initialDelaySeconds: 3, periodSeconds: 4 }, [true], false);
  await bench.pass(12);
  assert.deepEqual(bench.probes, [3, 7, 11]);
  assert.deepEqual(bench.changes, ['3 passing']);
});

test('without numbers a probe is made every 10 seconds and fails after 3 failures', async (context) => {
  const bench = openLoop(context, {}, [false], true);
  await bench.pass(21);
  assert.deepEqual(bench.probes, [0, 10, 20]);
  assert.deepEqual(bench.changes, ['20 failing']);
  assert.deepEqual(bench.failures, ['failure 1', 'failure 2', 'failure 3']);
});

test('only failures in a row count, and a change is told once', async (context) => {
  const outcomes = [false, true, false, false, true, false, false, false, false];
  const bench = openLoop(context, { periodSeconds: 1, failureThreshold: 3 }, outcomes, true);
  await bench.pass(9);
  assert.deepEqual(bench.changes, ['7 failing']);
  assert.equal(bench.loop.isPassing, false);
});

test('after a failure so many successes in a row are needed as the threshold says', async (context) => {
  const outcomes = [false, true, false, true, true, true];
  const probe = { periodSeconds: 1, failureThreshold: 1, successThreshold: 2 };
  const bench = openLoop(context, probe, outcomes, true);
  await bench.pass(6);
  assert.deepEqual(bench.changes, ['0 failing', '4 passing']);
});

test('nothing is probed once the loop is closed', async (context) => {
  const bench = openLoop(context, { periodSeconds: 1 }, [true], true);
  await bench.pass(2);
  bench.loop.close();
  const count = bench.probes.length;
  await bench.pass(5);
  assert.equal(bench.probes.length, count);
});

test('the first probe does not wait for a start that a clock set back says is still to come', async (context) => {
  const clock = new SteppedClock();
  let probes = 0;
  const loop = new ProbeLoop({
    probe: { initialDelaySeconds: 3 },
    clock,
    startedAt: clock.now() + 3_600_000,
    isPassing: false,
    async check() {
      probes++;
      return { ok: true };
    },
    onFailure: () => undefined,
    onChange: () => undefined,
  });
  context.after(() => loop.close());
  clock.step(3000);
  assert.equal(probes, 1);
});
