import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliUnits, wholeUnits } from './resource-amounts.ts';

test('processor time is counted in thousandths', () => {
  assert.equal(milliUnits('250m'), 250);
  assert.equal(milliUnits('1.5'), 1500);
  assert.equal(milliUnits('2'), 2000);
});

test('memory is counted in bytes', () => {
  assert.equal(wholeUnits('200Mi'), 200 * 1024 * 1024);
  assert.equal(wholeUnits('1G'), 1_000_000_000);
});

test('what is finer than the measure is rounded up', () => {
  assert.equal(milliUnits('1u'), 1);
  assert.equal(wholeUnits('1500m'), 2);
  assert.equal(wholeUnits('-1500m'), -1);
});

test('an absent amount is 0, and so is what is no amount', () => {
  assert.equal(milliUnits(undefined), 0);
  assert.equal(wholeUnits('much'), 0);
});
