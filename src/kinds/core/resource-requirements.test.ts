import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { claimResources, resourceRequirements } from './resource-requirements.ts';

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
  assert.deepEqual(wrong({ limits: { cpu: '-1500m' } }), ['limits[cpu] FieldValueInvalid']);
  assert.deepEqual(wrong({ limits: { cpu: '-999m', 'example.com/debt': '-5' } }), []);
});

test('a container uses processor time, memory and what has a prefix, nothing else', () => {
  assert.deepEqual(wrong({ limits: { cpu: '1', memory: '1', 'example.com/gpu': '1' } }), []);
  for (const name of ['gpu', 'a b', '', 'storage', 'pods', 'requests.cpu', 'CPU']) {
    assert.deepEqual(wrong({ requests: { [name]: '1' } }), [`requests[${name}] FieldValueInvalid`]);
  }
});

test('a claim can ask for anything', () => {
  const asked = { requests: { storage: '-1', gpu: '2' }, limits: { storage: '-2' } };
  assert.equal(validate(claimResources, decode(claimResources, asked).value).any, false);
});

test('amounts are kept in canonical form, no finer than a thousandth', () => {
  const { value } = decode(resourceRequirements, { limits: { cpu: '0.0001', memory: '0.5Mi', pods: '1000m' } });
  assert.deepEqual(value.limits, { cpu: '1m', memory: '512Ki', pods: '1' });
});
