import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { resourceRequirements } from './resource-requirements.ts';

function wrong(input: object): string[] {
  const { value, mistakes } = decode(resourceRequirements, input);
  assert.deepEqual(mistakes, []);
  return validate(resourceRequirements, value).list.map(({ field, reason }) => `${field} ${reason}`);
}

test('a request up to the limit is fine, in whatever unit', () => {
  assert.deepEqual(wrong({ requests: { memory: '1024Mi' }, limits: { memory: '1Gi' } }), []);
});

test('a request above the limit is refused at the limit', () => {
  assert.deepEqual(wrong({ requests: { cpu: '1001m' }, limits: { cpu: 1 } }), ['limits[cpu] FieldValueInvalid']);
});

test('negative amounts are refused', () => {
  assert.deepEqual(wrong({ requests: { memory: '-1' } }), ['requests[memory] FieldValueInvalid']);
});

test('names are standard or have a prefix', () => {
  assert.deepEqual(wrong({ limits: { 'example.com/gpu': '1', storage: '1' } }), []);
  assert.deepEqual(wrong({ limits: { gpu: '1' } }), ['limits[gpu] FieldValueInvalid']);
  assert.deepEqual(wrong({ limits: { 'a b': '1' } }), ['limits[a b] FieldValueInvalid']);
});

test('amounts are kept in canonical form, no finer than a thousandth', () => {
  const { value } = decode(resourceRequirements, { limits: { cpu: '0.0001', memory: '0.5Mi', pods: '1000m' } });
  assert.deepEqual(value.limits, { cpu: '1m', memory: '512Ki', pods: '1' });
});
