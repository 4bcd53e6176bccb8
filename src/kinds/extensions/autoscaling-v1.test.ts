import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { servedVersions } from '../served-version.ts';
import { horizontalPodAutoscaler as kind, type HorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';

const served = servedVersions(kind).find(({ group }) => group === 'autoscaling')!;
const conversion = served.conversion!;
const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'extensions/v1beta1' };

function stored(spec: object): HorizontalPodAutoscaler {
  const decoded = decode(served.schema, { metadata: { name: 'web' }, spec });
  assert.deepEqual(decoded.unknown, []);
  return conversion.toStored(decoded.value) as HorizontalPodAutoscaler;
}

function shown(spec: object): unknown {
  return (
    conversion.fromStored(decode(kind.schema, { metadata: { name: 'web' }, spec }).value) as HorizontalPodAutoscaler
  ).spec;
}

test('the target of autoscaling/v1 is the scale of what it names', () => {
  const object = stored({ scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 40 });
  assert.equal(object.apiVersion, 'extensions/v1beta1');
  assert.deepEqual(object.spec, {
    scaleRef: { ...scaleTargetRef, subresource: 'scale' },
    minReplicas: 1,
    maxReplicas: 5,
    cpuUtilization: { targetPercentage: 40 },
  });
  assert.deepEqual(validate(kind.schema, object).list, []);
});

test('an autoscaler of extensions/v1beta1 is shown with its target', () => {
  const scaleRef = { ...scaleTargetRef, subresource: 'scale' };
  assert.deepEqual(shown({ scaleRef, minReplicas: 2, maxReplicas: 5, cpuUtilization: { targetPercentage: 40 } }), {
    scaleTargetRef,
    minReplicas: 2,
    maxReplicas: 5,
    targetCPUUtilizationPercentage: 40,
  });
});

test('without a target both versions mean the same', () => {
  const scaleRef = { ...scaleTargetRef, subresource: 'scale' };
  const inExtensions = decode(kind.schema, { metadata: { name: 'web' }, spec: { scaleRef, maxReplicas: 5 } }).value;
  assert.deepEqual(stored({ scaleTargetRef, maxReplicas: 5 }).spec, inExtensions.spec);
});

test('mistakes stand at the fields of autoscaling/v1', () => {
  const mistakes = validate(kind.schema, stored({ targetCPUUtilizationPercentage: 0, maxReplicas: 1 })).list;
  assert.deepEqual(
    mistakes.map(({ field }) => conversion.fieldFromStored(field)),
    ['spec.scaleTargetRef.kind', 'spec.scaleTargetRef.name', 'spec.targetCPUUtilizationPercentage'],
  );
});
