import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import { countOf, isNone, percentOf, validateIntOrPercent } from './int-or-percent.ts';

function isValid(value: number | string): boolean {
  const errors = new FieldErrors();
  validateIntOrPercent(value, Path.of('x'), errors);
  return !errors.any;
}

test('only digits and a percent sign make a percentage', () => {
  assert.equal(percentOf('25%'), 25);
  assert.equal(percentOf('150%'), 150);
  for (const other of ['25', '-5%', '2.5%', '%', '', ' 5%', '5% ']) assert.equal(percentOf(other), undefined);
  assert.equal(percentOf(25), undefined);
});

test('counts must not be negative, texts must be percentages', () => {
  for (const value of [0, 7, '0%', '100%', '250%']) assert.equal(isValid(value), true, String(value));
  for (const value of [-1, '7', 'lots', '', '-1%']) assert.equal(isValid(value), false, String(value));
});

test('nothing is 0, 0%, or no number at all', () => {
  for (const value of [0, '0%', '00%', 'lots', '', '0']) assert.equal(isNone(value), true, String(value));
  for (const value of [1, -1, '1%', '5']) assert.equal(isNone(value), false, String(value));
});

test('a share that is no whole number is rounded as asked', () => {
  assert.equal(countOf(3, 10, 'up'), 3);
  assert.equal(countOf('25%', 10, 'up'), 3);
  assert.equal(countOf('25%', 10, 'down'), 2);
  assert.equal(countOf('7%', 100, 'up'), 7);
  assert.equal(countOf('100%', 3, 'down'), 3);
});
