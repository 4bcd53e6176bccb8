import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals } from '../testing/first-write.ts';
import { configMap } from './config-map.ts';

test('an empty text is kept', () => {
  assert.deepEqual(begun(configMap, { data: { empty: '' } }).data, { empty: '' });
});

for (const key of ['app.conf', '.hidden', 'a', '0-9.x', 'k'.repeat(63)]) {
  test(`"${key}" is a key`, () => assert.deepEqual(refusals(configMap, { data: { [key]: 'x' } }), []));
}

for (const key of ['UPPER', 'a/b', 'not ok', '..', '.', 'a_b', 'a.', 'k'.repeat(254)]) {
  test(`"${key.slice(0, 20)}" is no key`, () => {
    assert.deepEqual(refusals(configMap, { data: { [key]: 'x' } }), [`data[${key}] Invalid`]);
  });
}

test('more than a mebibyte of text is too long, counted in bytes', () => {
  const half = 'ü'.repeat(256 * 1024);
  assert.deepEqual(refusals(configMap, { data: { a: half, b: half } }), []);
  assert.deepEqual(refusals(configMap, { data: { a: half, b: `${half}x` } }), ['data TooLong']);
});
