import assert from 'node:assert/strict';
import { test } from 'node:test';
import { every } from './clock.ts';
import { SteppedClock } from './stepped-clock.ts';

test('time stands still until it is stepped', () => {
  const clock = new SteppedClock(1000);
  assert.equal(clock.now(), 1000);
  clock.step(500);
  assert.equal(clock.now(), 1500);
});

test('setting the clock lets no time pass', () => {
  const clock = new SteppedClock(1000);
  let fired = 0;
  clock.after(10, () => fired++);
  clock.setBy(60_000);
  assert.deepEqual([clock.now(), clock.ticks(), fired], [61_000, 1000, 0]);
  clock.step(10);
  assert.deepEqual([clock.now(), clock.ticks(), fired], [61_010, 1010, 1]);
  clock.setBy(-120_000);
  assert.deepEqual([clock.now(), clock.ticks()], [-58_990, 1010]);
});

test('timers fire in the order in which they fall due, each at its own time', () => {
  const clock = new SteppedClock(0);
  const fired: [string, number][] = [];
  const note = (name: string) => (): void => void fired.push([name, clock.now()]);
  clock.after(30, note('late'));
  clock.after(10, note('early'));
  clock.after(10, note('early too'));
  clock.after(31, note('not yet'));
  clock.step(30);
  assert.deepEqual(fired, [
    ['early', 10],
    ['early too', 10],
    ['late', 30],
  ]);
  clock.step(1);
  assert.deepEqual(fired.at(-1), ['not yet', 31]);
});

test('timers that timers set fire in the same step when they fall due in it', () => {
  const clock = new SteppedClock(0);
  const fired: number[] = [];
  clock.after(10, () => {
    fired.push(clock.now());
    clock.after(10, () => fired.push(clock.now()));
    clock.after(1000, () => fired.push(clock.now()));
  });
  clock.step(100);
  assert.deepEqual(fired, [10, 20]);
});

test('a cancelled timer never fires, even when cancelled by one that is due at the same time', () => {
  const clock = new SteppedClock(0);
  const fired: string[] = [];
  clock.after(5, () => second.cancel());
  const second = clock.after(5, () => fired.push('second'));
  const third = clock.after(1, () => fired.push('third'));
  third.cancel();
  clock.step(10);
  assert.deepEqual(fired, []);
});

test('a delay below zero is no delay', () => {
  const clock = new SteppedClock(0);
  let fired = 0;
  clock.after(-5, () => fired++);
  clock.step(0);
  assert.equal(fired, 1);
  assert.equal(clock.now(), 0);
});

test('every calls again and again until it is cancelled, also from within', () => {
  const clock = new SteppedClock(0);
  const times: number[] = [];
  const timer = every(clock, 10, () => {
    times.push(clock.now());
    if (times.length === 3) timer.cancel();
  });
  clock.step(100);
  assert.deepEqual(times, [10, 20, 30]);
});
