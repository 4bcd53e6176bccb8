import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { stopSignals } from './stop-signals.ts';

function listen(): { source: EventEmitter; clock: SteppedClock; forced: string[] } & ReturnType<typeof stopSignals> {
  const source = new EventEmitter();
  const clock = new SteppedClock();
  const forced: string[] = [];
  const signals = stopSignals({ source: source as never, clock, onForce: (signal) => forced.push(signal) });
  return { source, clock, forced, ...signals };
}

test('the first signal asks for an end', () => {
  const { source, stop, forced } = listen();
  assert.equal(stop.aborted, false);
  source.emit('SIGTERM', 'SIGTERM');
  assert.equal(stop.aborted, true);
  assert.equal(stop.reason, 'SIGTERM');
  assert.deepEqual(forced, []);
});

test('a second signal forces it, but not one that comes with the first', () => {
  const { source, clock, forced } = listen();
  source.emit('SIGINT', 'SIGINT');
  clock.step(100);
  source.emit('SIGINT', 'SIGINT');
  assert.deepEqual(forced, []);
  clock.step(1000);
  source.emit('SIGTERM', 'SIGTERM');
  assert.deepEqual(forced, ['SIGTERM']);
});

test('a second signal forces it although the clock was set back', () => {
  const { source, clock, forced } = listen();
  source.emit('SIGINT', 'SIGINT');
  clock.step(1000);
  clock.now = () => 0;
  source.emit('SIGINT', 'SIGINT');
  assert.deepEqual(forced, ['SIGINT']);
});

test('after release signals are left to the process', () => {
  const signals = listen();
  signals.release();
  assert.equal(signals.source.listenerCount('SIGINT') + signals.source.listenerCount('SIGTERM'), 0);
  assert.equal(signals.stop.aborted, false);
});
