import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CpuRates } from './cpu-rates.ts';

const second = 1000;
const start = Date.parse('2030-01-01T00:00:00Z');

/** A reading so many seconds after the start, of something that has used so many seconds of processor time. */
function reading(seconds: number, used: number): { at: number; cpuNanos: number } {
  return { at: start + seconds * second, cpuNanos: used * 1e9 };
}

test('a young counter is compared with its beginning', () => {
  const rates = new CpuRates();
  assert.deepEqual(rates.add('a', reading(4, 2), start), { windowMs: 4000, nanoCores: 500_000_000 });
  assert.deepEqual(rates.add('a', reading(8, 2), start), { windowMs: 8000, nanoCores: 250_000_000 });
});

test('a counter of which the beginning is not known, or long ago, needs two readings', () => {
  const rates = new CpuRates();
  assert.equal(rates.add('a', reading(0, 100)), undefined);
  assert.deepEqual(rates.add('a', reading(5, 101)), { windowMs: 5000, nanoCores: 200_000_000 });
  assert.equal(rates.add('b', reading(100, 50), start), undefined);
  assert.deepEqual(rates.add('b', reading(102, 51), start), { windowMs: 2000, nanoCores: 500_000_000 });
});

test('rates look back over one window and less than two, however often the counter is read', () => {
  const rates = new CpuRates();
  for (let tenths = 1; tenths < 1000; tenths++) {
    const at = tenths / 10;
    // Half a processor for the first fifty seconds, then nothing.
    const rate = rates.add('a', reading(at, Math.min(at, 50) / 2), start);
    if (at < 1) assert.equal(rate, undefined);
    if (at >= 1 && at <= 50) assert.equal(rate?.nanoCores, 500_000_000, String(at));
    if (at >= 10) assert.ok(rate!.windowMs >= 10_000 && rate!.windowMs < 20_001, `${at}: ${rate!.windowMs}`);
    if (at >= 70.1) assert.equal(rate?.nanoCores, 0, String(at));
  }
});

test('a counter that goes back counts as idle', () => {
  const rates = new CpuRates();
  rates.add('a', reading(0, 10));
  assert.deepEqual(rates.add('a', reading(10, 4)), { windowMs: 10_000, nanoCores: 0 });
  assert.deepEqual(rates.add('a', reading(20, 5)), { windowMs: 10_000, nanoCores: 100_000_000 });
});

test('what is not kept is begun anew', () => {
  const rates = new CpuRates();
  rates.add('a', reading(0, 10));
  rates.add('b', reading(0, 10));
  rates.keep(new Set(['b']));
  assert.equal(rates.add('a', reading(10, 20)), undefined);
  assert.equal(rates.add('b', reading(10, 20))?.nanoCores, 1e9);
});
