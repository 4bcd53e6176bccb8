import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { scale } from './scale.ts';
import { scaleRule } from './scale-rule.ts';

test('labels are told only where they are the whole selector', () => {
  const matchLabels = { app: 'web', tier: 'a' };
  assert.deepEqual(scaleRule.getSelector({ spec: { selector: { matchLabels } } }), {
    text: 'app=web,tier=a',
    labels: matchLabels,
  });
  const matchExpressions = [{ key: 'env', operator: 'Exists' }];
  assert.deepEqual(scaleRule.getSelector({ spec: { selector: { matchLabels, matchExpressions } } }), {
    text: 'app=web,env,tier=a',
  });
});

test('replicas are read and written', () => {
  const workload = { spec: { replicas: 2 }, status: { replicas: 1 } };
  scaleRule.setReplicas(workload, 0);
  assert.equal(scaleRule.getReplicas(workload), 0);
  assert.equal(scaleRule.getStatusReplicas(workload), 1);
  assert.equal(scaleRule.getStatusReplicas({ spec: {} }), 0);
});

test('a scale without replicas is taken, one with a negative number is not', () => {
  const empty = decode(scale, {}).value;
  assert.equal(validate(scale, empty).any, false);
  assert.equal(empty.kind, 'Scale');
  assert.equal(empty.spec.replicas, undefined);
  const negative = decode(scale, { spec: { replicas: -1 } }).value;
  const [mistake] = validate(scale, negative).list;
  assert.deepEqual([mistake?.field, mistake?.reason], ['spec.replicas', 'FieldValueInvalid']);
});
