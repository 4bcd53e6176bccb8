import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { admit, checkExample } from './testing/admit.ts';

const scaleRef = { kind: 'Deployment', name: 'web', subresource: 'scale' };

function mistakesIn(spec: unknown): readonly string[] {
  return admit(horizontalPodAutoscaler, { metadata: { name: 'a' }, spec }).mistakes;
}

test('the example passes and stays as it is', () => checkExample(horizontalPodAutoscaler));

test('at least one pod at 80 percent is the default', () => {
  const { object } = admit(horizontalPodAutoscaler, {
    metadata: { name: 'a' },
    spec: { scaleRef, maxReplicas: 3 },
    status: { currentReplicas: 9, observedGeneration: 4 },
  });
  assert.deepEqual(object.spec, { scaleRef, minReplicas: 1, maxReplicas: 3, cpuUtilization: { targetPercentage: 80 } });
  assert.deepEqual(object.status, { currentReplicas: 0, desiredReplicas: 0 });
});

test('bounds must be positive and in order', () => {
  assert.deepEqual(mistakesIn({ scaleRef }), ['spec.maxReplicas Invalid', 'spec.maxReplicas Invalid']);
  assert.deepEqual(mistakesIn({ scaleRef, minReplicas: 0, maxReplicas: 3 }), ['spec.minReplicas Invalid']);
  assert.deepEqual(mistakesIn({ scaleRef, minReplicas: 4, maxReplicas: 3 }), ['spec.maxReplicas Invalid']);
  assert.deepEqual(mistakesIn({ scaleRef, minReplicas: 3, maxReplicas: 3 }), []);
});

test('a target of 0 percent is refused, also when it is only left out', () => {
  const mistakes = ['spec.cpuUtilization.targetPercentage Invalid'];
  assert.deepEqual(mistakesIn({ scaleRef, maxReplicas: 1, cpuUtilization: { targetPercentage: 0 } }), mistakes);
  assert.deepEqual(mistakesIn({ scaleRef, maxReplicas: 1, cpuUtilization: {} }), mistakes);
});

test('only the scale of something can be written', () => {
  assert.deepEqual(mistakesIn({ maxReplicas: 1 }), [
    'spec.scaleRef.kind Required',
    'spec.scaleRef.name Required',
    'spec.scaleRef.subresource Required',
  ]);
  assert.deepEqual(mistakesIn({ scaleRef: { ...scaleRef, subresource: 'status' }, maxReplicas: 1 }), [
    'spec.scaleRef.subresource NotSupported',
  ]);
  assert.deepEqual(mistakesIn({ scaleRef: { ...scaleRef, name: 'a/b', subresource: '..' }, maxReplicas: 1 }), [
    'spec.scaleRef.name Invalid',
    'spec.scaleRef.subresource Invalid',
  ]);
});

test('a status must not be negative; a usage of 0 is kept', () => {
  const { value } = decode(horizontalPodAutoscaler.schema, {
    ...horizontalPodAutoscaler.example,
    status: { currentReplicas: -1, desiredReplicas: -2, currentCPUUtilizationPercentage: 0 },
  });
  assert.equal(value.status?.currentCPUUtilizationPercentage, 0);
  const fields = validate(horizontalPodAutoscaler.schema, value).list.map(({ field }) => field);
  assert.deepEqual(fields, ['status.currentReplicas', 'status.desiredReplicas']);
});
