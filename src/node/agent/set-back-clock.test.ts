import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { deferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import type { HandlerTarget } from '../probes/run-handler.ts';
import { ScriptedContainer } from '../testing/scripted-container.ts';
import { planFor } from '../testing/scripted-plan.ts';
import { ContainerStop } from './container-stop.ts';
import { NextStart } from './next-start.ts';
import { RetriedTask } from './retried-task.ts';
import { WorkTracker } from './work-tracker.ts';

const hour = 3_600_000;

/** Its time can be set back; its ticks, as those of every clock, go on. */
class AdjustedClock extends SteppedClock {
  behind = 0;

  override now(): number {
    return super.now() - this.behind;
  }
}

describe('when the clock is set back', () => {
  it('what has failed is tried again after the same wait', async () => {
    const clock = new AdjustedClock();
    let tries = 0;
    const task = new RetriedTask({
      clock,
      work: new WorkTracker(),
      retries: { firstMs: 1000, longestMs: 1000 },
      act: async () => {
        tries++;
        throw new Error('busy');
      },
      onFailure: () => undefined,
      onEnd: () => undefined,
    });
    task.begin();
    await turn();
    clock.behind = hour;
    assert.equal(task.begin(), clock.now() + 1000);
    clock.step(1000);
    task.begin();
    assert.equal(tries, 2);
  });

  it('a container that has crashed is started again after the same wait', () => {
    const clock = new AdjustedClock();
    const tell = (): void => undefined;
    const next = new NextStart({ clock, logger: silentLogger, pod: 'web', container: 'main', restartCount: 1, tell });
    const endedAt = clock.now();
    clock.behind = hour;
    const exit = { code: 1, finishedAt: endedAt, reason: 'Error' };
    next.follow({ id: 'c', imageId: 'x', attempt: 1, startedAt: endedAt - 1000, exit });
    assert.equal(next.waiting.until, clock.now() + 10_000);
  });

  it('a container gets no more time to end than it has', async () => {
    const clock = new AdjustedClock();
    const stops: number[] = [];
    const hook = deferred<number>();
    const lifecycle = { preStop: { exec: { command: ['goodbye'] } } };
    const container = { name: 'main', image: 'x', lifecycle };
    const running = new ScriptedContainer({
      id: 'c',
      plan: planFor(container),
      script: {},
      clock,
      runCommand: () => hook.promise,
      warnings: [],
      onStop: (graceMs) => stops.push(graceMs),
      onRemove: () => undefined,
    });
    const target: HandlerTarget = { container, running, ip: '127.0.0.1' };
    const parts = { clock, logger: silentLogger, target, running };
    const stop = new ContainerStop({ ...parts, graceMs: 5000, onHookFailure: () => undefined });
    await turn();
    clock.step(1000);
    clock.behind = hour;
    hook.resolve(0);
    await turn();
    stop.close();
    assert.deepEqual(stops, [4000]);
  });
});
