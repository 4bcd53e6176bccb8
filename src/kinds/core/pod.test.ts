import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { FieldErrors } from '../../schema/field-errors.ts';
import { validate } from '../../schema/validate.ts';
import { pod, type Pod } from './pod.ts';

function podOf(spec: object, rest: object = {}): Pod {
  const containers = [{ name: 'main', image: 'busybox:1.24' }];
  const { value, mistakes } = decode(pod.schema, { metadata: { name: 'p' }, spec: { containers, ...spec }, ...rest });
  assert.deepEqual(mistakes, []);
  return value;
}

function wrong(given: Pod): string[] {
  const errors = validate(pod.schema, given);
  pod.validateCreate?.(given, errors);
  return errors.list.map(({ field, reason }) => `${field} ${reason}`);
}

function wrongUpdate(given: Pod, old: Pod): string[] {
  const errors = new FieldErrors();
  pod.validateUpdate?.(given, old, errors);
  return errors.list.map(({ field, reason }) => `${field} ${reason}`);
}

test('the example is valid, and completing it twice changes nothing more', () => {
  const once = decode(pod.schema, pod.example).value;
  assert.deepEqual(wrong(once), []);
  assert.deepEqual(decode(pod.schema, once).value, once);
});

test('a new pod is pending, whatever status was sent', () => {
  const created = podOf({}, { status: { phase: 'Running', podIP: '10.0.0.1' } });
  pod.prepareForCreate?.(created, { now: 0, uid: () => '' });
  assert.deepEqual(created.status, { phase: 'Pending' });
});

test('requests come from the limits, where there are none', () => {
  const resources = { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } };
  const { spec } = podOf({ containers: [{ name: 'c', image: 'i', resources }] });
  assert.deepEqual(spec.containers[0]?.resources?.requests, { cpu: '1', memory: '1Gi' });
});

describe('annotations with a meaning', () => {
  const annotated = (annotations: object) => wrong(podOf({}, { metadata: { name: 'p', annotations } }));
  const affinity = (nodeAffinity: object) =>
    annotated({ 'scheduler.alpha.kubernetes.io/affinity': JSON.stringify({ nodeAffinity }) });
  const required = (...matchExpressions: object[]) =>
    affinity({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } });

  test('a host name must be a label', () => {
    assert.deepEqual(annotated({ 'pod.beta.kubernetes.io/hostname': 'web-1' }), []);
    assert.deepEqual(annotated({ 'pod.beta.kubernetes.io/hostname': 'Web 1' }), [
      'metadata.annotations FieldValueInvalid',
    ]);
    assert.deepEqual(annotated({ 'pod.beta.kubernetes.io/subdomain': '' }), ['metadata.annotations FieldValueInvalid']);
  });

  test('they are looked at in changes, but not where a node writes the status', () => {
    const given = podOf({}, { metadata: { name: 'p', annotations: { 'pod.beta.kubernetes.io/hostname': 'Web 1' } } });
    assert.deepEqual(wrongUpdate(given, podOf({})), ['metadata.annotations FieldValueInvalid']);
    assert.equal(validate(pod.schema, given).any, false);
  });

  test('an affinity that is no JSON, or of another type, is refused', () => {
    const key = 'scheduler.alpha.kubernetes.io/affinity';
    assert.deepEqual(annotated({ [key]: '{' }), ['metadata.annotations FieldValueInvalid']);
    assert.deepEqual(annotated({ [key]: '[]' }), ['metadata.annotations FieldValueInvalid']);
    for (const nothing of ['', 'null', '{}', '{"nodeAffinity":null}'])
      assert.deepEqual(annotated({ [key]: nothing }), []);
  });

  test('every operator of an affinity takes its number of values', () => {
    assert.deepEqual(required({ key: 'a', operator: 'In', values: ['b'] }, { key: 'a', operator: 'Exists' }), []);
    const at = (index: number, field: string) =>
      'metadata.annotations.requiredDuringSchedulingIgnoredDuringExecution' +
      `.nodeSelectorTerms[0].matchExpressions[${index}].${field}`;
    const given = required(
      { key: 'a', operator: 'NotIn' },
      { key: 'a', operator: 'DoesNotExist', values: ['b'] },
      { key: 'a', operator: 'Gt', values: ['1', '2'] },
      { operator: 'Like', values: ['b'] },
    );
    assert.deepEqual(given, [
      `${at(0, 'values')} FieldValueRequired`,
      `${at(1, 'values')} FieldValueForbidden`,
      `${at(2, 'values')} FieldValueRequired`,
      `${at(3, 'key')} FieldValueInvalid`,
      `${at(3, 'operator')} FieldValueInvalid`,
    ]);
  });

  test('a preference weighs from 1 to 100', () => {
    const preference = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    const preferred = (weight: number) =>
      affinity({ preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference }] }).length;
    assert.deepEqual([preferred(0), preferred(1), preferred(100), preferred(101)], [1, 0, 0, 1]);
  });
});

describe('changing a pod', () => {
  const old = podOf({});
  const image = (name: string) => [{ name: 'main', image: name }];

  test('an image can be changed', () => {
    assert.deepEqual(wrongUpdate(podOf({ containers: image('busybox:1.25') }), old), []);
  });

  test('what follows from the image cannot', () => {
    assert.deepEqual(wrongUpdate(podOf({ containers: image('busybox') }), old), ['spec FieldValueForbidden']);
  });

  test('containers stay as many as they are', () => {
    const two = podOf({ containers: [...image('busybox:1.24'), { name: 'more', image: 'i' }] });
    assert.deepEqual(wrongUpdate(two, old), ['spec.containers FieldValueForbidden']);
    assert.deepEqual(wrongUpdate(podOf({ containers: [] }), old), ['spec.containers FieldValueForbidden']);
  });

  test('no other field can be changed', () => {
    assert.deepEqual(wrongUpdate(podOf({ nodeName: 'n1' }), old), ['spec FieldValueForbidden']);
    assert.deepEqual(wrongUpdate(podOf({ volumes: [{ name: 'v' }] }), old), ['spec FieldValueForbidden']);
  });

  test('the same amount in another unit is no change', () => {
    const memory = (amount: string) =>
      podOf({ containers: [{ name: 'main', image: 'i', resources: { limits: { memory: amount } } }] });
    assert.deepEqual(wrongUpdate(memory('1073741824'), memory('1Gi')), []);
    assert.deepEqual(wrongUpdate(memory('1G'), memory('1Gi')), ['spec FieldValueForbidden']);
  });

  test('a deadline can be set or brought forward, not put off or taken away', () => {
    const deadline = (activeDeadlineSeconds?: number) => podOf({ activeDeadlineSeconds });
    const refused = ['spec.activeDeadlineSeconds FieldValueInvalid'];
    assert.deepEqual(wrongUpdate(deadline(10), old), []);
    assert.deepEqual(wrongUpdate(deadline(9), deadline(10)), []);
    assert.deepEqual(wrongUpdate(deadline(11), deadline(10)), refused);
    assert.deepEqual(wrongUpdate(deadline(), deadline(10)), refused);
    assert.deepEqual(wrongUpdate(podOf({ activeDeadlineSeconds: 11, nodeName: 'n' }), deadline(10)), refused);
    assert.deepEqual(wrongUpdate(podOf({ nodeName: 'n' }), deadline(10)), [...refused, 'spec FieldValueForbidden']);
  });
});

test('a status that is written does not say when the pod is to be gone', () => {
  const at = (deletionTimestamp?: string) => podOf({}, { metadata: { name: 'p', deletionTimestamp } });
  const written = at('2001-01-01T00:00:00Z');
  pod.prepareForStatusUpdate?.(written, at(), { now: 0, uid: () => '' });
  assert.equal(written.metadata.deletionTimestamp, undefined);
});

describe('time to end', () => {
  const grace = (spec: object, asked?: number, phase = 'Running') =>
    pod.gracePeriod?.(podOf(spec, { status: { phase } }), asked);

  test('is what was asked for, else what the pod says', () => {
    assert.equal(grace({ nodeName: 'n' }), 30);
    assert.equal(grace({ nodeName: 'n', terminationGracePeriodSeconds: 7 }), 7);
    assert.equal(grace({ nodeName: 'n', terminationGracePeriodSeconds: 0 }), 0);
    assert.equal(grace({ nodeName: 'n' }, 5), 5);
    assert.equal(grace({ nodeName: 'n' }, 0), 0);
    assert.equal(grace({ nodeName: 'n' }, -5), 0);
  });

  test('is none for a pod without a node or a pod that ended', () => {
    assert.equal(grace({}, 60), 0);
    assert.equal(grace({ nodeName: 'n' }, 60, 'Failed'), 0);
    assert.equal(grace({ nodeName: 'n' }, 60, 'Succeeded'), 0);
  });
});

test('selectors see where a pod is and how it fares', () => {
  const given = podOf({ nodeName: 'n1' }, { status: { phase: 'Running', podIP: '10.0.0.1' } });
  const values = Object.entries(pod.selectableFields).map(([field, read]) => [field, read(given)]);
  assert.deepEqual(Object.fromEntries(values), {
    'spec.nodeName': 'n1',
    'spec.host': 'n1',
    'spec.restartPolicy': 'Always',
    'status.phase': 'Running',
    'status.podIP': '10.0.0.1',
  });
});
