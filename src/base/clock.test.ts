import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime, systemClock } from './clock.ts';

test('moments are written in UTC with whole seconds, the rest cut off', () => {
  assert.equal(formatTime(Date.UTC(2030, 0, 31, 12, 0, 0, 999)), '2030-01-31T12:00:00Z');
  assert.equal(formatTime(0), '1970-01-01T00:00:00Z');
});

test('the system clock calls back once, and not when cancelled', async () => {
  // The clock's timers do not keep the process alive, so one that does stands by.
  const keepAlive = setTimeout(() => {}, 10_000);
  const fired: string[] = [];
  systemClock.after(0, () => fired.push('cancelled')).cancel();
  await new Promise<void>((resolve) => {
    systemClock.after(1, () => {
      fired.push('fired');
      resolve();
    });
  });
  clearTimeout(keepAlive);
  assert.deepEqual(fired, ['fired']);
});

test('a time that is longer than the timers of the system can take does not come at once', async () => {
  const keepAlive = setTimeout(() => {}, 10_000);
  let isCalled = false;
  const timers = [2 ** 31, 2 ** 40, Infinity].map((ms) => systemClock.after(ms, () => (isCalled = true)));
  await new Promise<void>((resolve) => void systemClock.after(5, resolve));
  for (const timer of timers) timer.cancel();
  clearTimeout(keepAlive);
  assert.equal(isCalled, false);
});
