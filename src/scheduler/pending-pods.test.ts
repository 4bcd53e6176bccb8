import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { PendingPods } from './pending-pods.ts';
import { testPod } from './testing/objects.ts';

let clock: SteppedClock;
let pods: PendingPods;
beforeEach(() => {
  clock = new SteppedClock();
  pods = new PendingPods(clock, () => {});
});

const name = (): string | undefined => pods.take()?.needs.name;

/** Takes the only pod that waits, and parks it. */
function fail(): void {
  const pending = pods.take();
  assert.ok(pending);
  assert.equal(pods.park(pending), true);
}

/** After how many seconds of these changes, one a second, a parked pod waits again. */
function secondsUntilWaiting(change: () => void): number {
  for (let seconds = 1; ; seconds++) {
    change();
    clock.step(1000);
    if (pods.waiting > 0) return seconds;
  }
}

it('pods are taken in order of arrival, each once', () => {
  for (const name of ['b', 'a', 'c']) pods.set(testPod(name));
  pods.set(testPod('b', { metadata: { resourceVersion: '2' } }));
  assert.deepEqual([name(), name(), name(), name()], ['b', 'a', 'c', undefined]);
});

it('a pod that has gone is not taken', () => {
  pods.set(testPod('a'));
  pods.delete('one/a');
  assert.equal(name(), undefined);
});

it('another pod of the same name takes the place of the first', () => {
  pods.set(testPod('a', { metadata: { uid: '1' } }));
  const first = pods.take()!;
  pods.set(testPod('a', { metadata: { uid: '2' } }));
  assert.equal(pods.park(first), false);
  assert.equal(pods.take()?.needs.uid, '2');
});

describe('a parked pod', () => {
  beforeEach(() => {
    pods.set(testPod('a'));
    fail();
  });

  it('is tried again in time when the clock is set back', () => {
    clock.setBy(-3_600_000);
    pods.nodesChanged();
    clock.step(1000);
    assert.equal(pods.waiting, 1);
  });

  it('stays parked while nothing changes, but not for ever', () => {
    clock.step(5 * 60_000 - 1);
    assert.equal(pods.waiting, 0);
    clock.step(1);
    assert.equal(pods.waiting, 1);
  });

  it('rests longer each time that room is made', () => {
    const rests = Array.from({ length: 8 }, () => {
      const seconds = secondsUntilWaiting(() => pods.roomMade());
      fail();
      return seconds;
    });
    assert.deepEqual(rests, [1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('rests no longer than a second when nodes change', () => {
    const rests = Array.from({ length: 4 }, () => {
      const seconds = secondsUntilWaiting(() => pods.nodesChanged());
      fail();
      return seconds;
    });
    assert.deepEqual(rests, [1, 1, 1, 1]);
  });

  it('that failed for a reason of its own is tried again whatever happens', () => {
    pods.nodesChanged();
    clock.step(1000);
    pods.retryLater(pods.take()!);
    clock.step(1999);
    assert.equal(pods.waiting, 0);
    clock.step(1);
    assert.equal(pods.waiting, 1);
  });

  it('waits at once when its annotations change, not when its status does', () => {
    pods.set({ ...testPod('a'), status: { phase: 'Pending' } });
    assert.equal(pods.waiting, 0);
    pods.set(testPod('a', { metadata: { annotations: { new: 'one' } } }));
    assert.equal(pods.waiting, 1);
  });
});
