import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { deleteOptions } from './delete-options.ts';

function mistakesIn(body: unknown): string[] {
  const { value, mistakes } = decode(deleteOptions, body);
  assert.deepEqual(mistakes, []);
  return validate(deleteOptions, value).list.map(({ field, reason }) => `${field} ${reason}`);
}

test('a grace period of 0 is told from none', () => {
  assert.equal(decode(deleteOptions, { gracePeriodSeconds: 0 }).value.gracePeriodSeconds, 0);
  assert.equal(decode(deleteOptions, {}).value.gracePeriodSeconds, undefined);
  assert.equal(decode(deleteOptions, { gracePeriodSeconds: 'soon' }).mistakes.length, 1);
});

test('the options of every group are taken, other kinds are not', () => {
  assert.deepEqual(mistakesIn({}), []);
  assert.deepEqual(mistakesIn({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: -1 }), []);
  assert.deepEqual(mistakesIn({ apiVersion: 'extensions/v1beta1' }), []);
  assert.deepEqual(mistakesIn({ kind: 'ConfigMap' }), ['kind FieldValueNotSupported']);
  assert.deepEqual(mistakesIn({ apiVersion: 'v7' }), ['apiVersion FieldValueInvalid']);
});

test('what happens to dependents is said once and in known words', () => {
  assert.deepEqual(mistakesIn({ propagationPolicy: 'Foreground', dryRun: ['All'] }), []);
  assert.deepEqual(mistakesIn({ orphanDependents: false }), []);
  assert.deepEqual(mistakesIn({ orphanDependents: false, propagationPolicy: 'Orphan' }), [
    'propagationPolicy FieldValueInvalid',
  ]);
  assert.deepEqual(mistakesIn({ propagationPolicy: 'Sideways', dryRun: ['Some'] }), [
    'propagationPolicy FieldValueNotSupported',
    'dryRun[0] FieldValueNotSupported',
  ]);
});
