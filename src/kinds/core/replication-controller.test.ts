import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { podTemplate } from './pod-template.ts';
import { replicationController, type ReplicationController } from './replication-controller.ts';

const { schema } = replicationController;

function controllerOf(spec: object, metadata: object = {}): ReplicationController {
  const { value, mistakes } = decode(schema, { metadata: { name: 'rc', ...metadata }, spec });
  assert.deepEqual(mistakes, []);
  return value;
}

function wrong(controller: ReplicationController): string[] {
  return validate(schema, controller).list.map(({ field, reason }) => `${field} ${reason}`);
}

const labels = { app: 'web' };
const template = (spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
});

test('the examples are valid, and completing them twice changes nothing more', () => {
  for (const kind of [replicationController, podTemplate]) {
    const once = decode<object>(kind.schema, kind.example).value;
    assert.deepEqual(validate<object>(kind.schema, once).list, []);
    assert.deepEqual(decode<object>(kind.schema, once).value, once);
  }
});

test('labels and selector come from the template, and there is one replica', () => {
  const { metadata, spec, status } = controllerOf({ template: template() });
  assert.deepEqual([metadata.labels, spec.selector, spec.replicas, status], [labels, labels, 1, { replicas: 0 }]);
});

test('what is given stays, 0 replicas too', () => {
  const { metadata, spec } = controllerOf(
    { replicas: 0, selector: { a: 'b' }, template: template() },
    { labels: { c: 'd' } },
  );
  assert.deepEqual([metadata.labels, spec.selector, spec.replicas], [{ c: 'd' }, { a: 'b' }, 0]);
});

test('without a template there is nothing to make and to select', () => {
  assert.deepEqual(wrong(controllerOf({})), ['spec.template FieldValueRequired', 'spec.selector FieldValueRequired']);
});

test('a template without labels gives no selector', () => {
  const unlabelled = { metadata: { labels: {} }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  assert.deepEqual(wrong(controllerOf({ template: unlabelled })), ['spec.selector FieldValueRequired']);
});

test('the selector must pick the pods of the template', () => {
  const given = controllerOf({ selector: { app: 'db' }, template: template() });
  assert.deepEqual(wrong(given), ['spec.template.metadata.labels FieldValueInvalid']);
});

test('a selector of what can be no labels counts as none', () => {
  for (const selector of [{ 'no good': 'x' }, { app: 'no good' }, { app: 'x'.repeat(64) }]) {
    assert.deepEqual(wrong(controllerOf({ selector, template: template() })), ['spec.selector FieldValueRequired']);
  }
});

test('without labels, those of the template are there again when status is written', () => {
  const given = controllerOf({ template: template() });
  delete given.metadata.labels;
  replicationController.prepareForStatusUpdate?.(given, given, { now: 0, uid: () => '' });
  assert.deepEqual(given.metadata.labels, labels);
});

test('replicas are not negative', () => {
  assert.deepEqual(wrong(controllerOf({ replicas: -1, template: template() })), ['spec.replicas FieldValueInvalid']);
});

test('pods of a controller are always restarted', () => {
  const given = controllerOf({ template: template({ restartPolicy: 'Never' }) });
  assert.deepEqual(wrong(given), ['spec.template.spec.restartPolicy FieldValueNotSupported']);
});

test('several replicas can only read a disk that they share', () => {
  const disk = (readOnly: boolean, replicas: number) =>
    wrong(
      controllerOf({
        replicas,
        template: template({ volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd', readOnly } }] }),
      }),
    );
  assert.deepEqual(disk(false, 1), []);
  assert.deepEqual(disk(true, 2), []);
  assert.deepEqual(disk(false, 2), ['spec.template.spec.volumes[0].gcePersistentDisk.readOnly FieldValueInvalid']);
});

test('rules for pods hold in the template', () => {
  const given = controllerOf({ template: { metadata: { labels }, spec: {} } });
  assert.deepEqual(wrong(given), ['spec.template.spec.containers FieldValueRequired']);
});

test('the scale reads and sets replicas and tells the selector', () => {
  const { scale } = replicationController;
  const given = controllerOf({ replicas: 3, selector: { b: '2', a: '1' } });
  assert.ok(scale);
  assert.equal(scale.getReplicas(given), 3);
  scale.setReplicas(given, 5);
  assert.equal(given.spec.replicas, 5);
  assert.equal(scale.getStatusReplicas(given), 0);
  assert.deepEqual(scale.getSelector(given), { text: 'a=1,b=2', labels: { b: '2', a: '1' } });
});

test('a new or exported controller starts from nothing', () => {
  const given = controllerOf({ template: template() });
  given.status = { replicas: 3, observedGeneration: 4 };
  replicationController.prepareForExport?.(given, false);
  assert.deepEqual(given.status, { replicas: 0 });
});
