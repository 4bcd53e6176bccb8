import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replicaSet } from './replica-set.ts';
import { admit, checkExample } from './testing/admit.ts';

const spec = { containers: [{ name: 'main', image: 'nginx:1.9' }] };
const template = { metadata: { labels: { app: 'web' } }, spec };

function admitted(body: unknown, metadata: object = {}): ReturnType<typeof admit<typeof replicaSet.example>> {
  return admit(replicaSet, { metadata: { name: 'a', ...metadata }, spec: body });
}

test('the example passes and stays as it is', () => checkExample(replicaSet));

test('one replica, the selector and the labels come from what is there', () => {
  const { object, mistakes } = admitted({ template });
  assert.deepEqual(mistakes, []);
  assert.equal(object.spec.replicas, 1);
  assert.deepEqual(object.spec.selector, { matchLabels: { app: 'web' } });
  assert.deepEqual(object.metadata.labels, { app: 'web' });
  assert.deepEqual(object.status, { replicas: 0 });
});

test('what is derived is a copy', () => {
  const { object } = admitted({ template });
  object.metadata.labels!['more'] = 'x';
  assert.deepEqual(object.spec.template.metadata.labels, { app: 'web' });
  assert.deepEqual(object.spec.selector, { matchLabels: { app: 'web' } });
});

test('zero replicas, own labels and an own selector are kept', () => {
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db'] }] };
  const { object, mistakes } = admitted({ replicas: 0, selector, template }, { labels: { own: 'x' } });
  assert.deepEqual(mistakes, []);
  assert.equal(object.spec.replicas, 0);
  assert.deepEqual(object.spec.selector, selector);
  assert.deepEqual(object.metadata.labels, { own: 'x' });
});

test('empty labels make an empty selector, no labels make none', () => {
  assert.deepEqual(admitted({ template: { metadata: { labels: {} }, spec } }).mistakes, ['spec.selector Invalid']);
  const none = ['spec.selector Required', 'spec.template.metadata.labels Invalid'];
  assert.deepEqual(admitted({ template: { spec } }).mistakes, none);
  assert.deepEqual(admitted({ template: { metadata: { labels: null }, spec } }).mistakes, none);
});

test('without a template its containers are missing', () => {
  assert.deepEqual(admitted({ selector: { matchLabels: { a: 'b' } } }).mistakes, [
    'spec.template.spec.containers Required',
    'spec.template.metadata.labels Invalid',
  ]);
});

test('the selector must match the labels of the template', () => {
  assert.deepEqual(admitted({ selector: { matchLabels: { app: 'db' } }, template }).mistakes, [
    'spec.template.metadata.labels Invalid',
  ]);
  assert.deepEqual(admitted({ selector: {}, template }).mistakes, ['spec.selector Invalid']);
});

test('a selector that cannot be applied is named as a whole, too', () => {
  const near = { matchExpressions: [{ key: 'app', operator: 'Near' }] };
  assert.deepEqual(admitted({ selector: near, template }).mistakes, [
    'spec.selector.matchExpressions[0].operator Invalid',
    'spec.selector Invalid',
  ]);
  const value = { matchExpressions: [{ key: 'app', operator: 'In', values: ['no good'] }] };
  assert.deepEqual(admitted({ selector: value, template }).mistakes, ['spec.selector Invalid']);
});

test('with a selector that cannot be applied, the template is not looked at', () => {
  const bad = { metadata: { labels: { 'no good': 'x' } }, spec: { containers: [] } };
  const { mistakes } = admitted({ template: bad }, { labels: { own: 'x' } });
  assert.deepEqual(mistakes, ['spec.selector.matchLabels Invalid', 'spec.selector Invalid']);
});

test('without labels, the labels of the pods are there again when status is written', () => {
  const { object: old } = admitted({ template });
  const changed = { ...old, metadata: { name: 'a' } };
  replicaSet.prepareForStatusUpdate!(changed, old, { now: 0, uid: () => '' });
  assert.deepEqual(changed.metadata, { name: 'a', labels: { app: 'web' } });
  const labelled = { ...old, metadata: { name: 'a', labels: { own: 'x' } } };
  replicaSet.prepareForStatusUpdate!(labelled, old, { now: 0, uid: () => '' });
  assert.deepEqual(labelled.metadata.labels, { own: 'x' });
});

test('pods are always restarted', () => {
  const once = { ...template, spec: { ...spec, restartPolicy: 'OnFailure' } };
  assert.deepEqual(admitted({ template: once }).mistakes, ['spec.template.spec.restartPolicy NotSupported']);
});

test('a disk that is written is for one pod only', () => {
  const volumes = [{ name: 'd', gcePersistentDisk: { pdName: 'p' } }];
  const withDisk = { ...template, spec: { ...spec, volumes } };
  assert.deepEqual(admitted({ replicas: 1, template: withDisk }).mistakes, []);
  assert.deepEqual(admitted({ replicas: 2, template: withDisk }).mistakes, [
    'spec.template.spec.volumes[0].gcePersistentDisk.readOnly Invalid',
  ]);
});

test('there is no negative number of replicas', () => {
  assert.deepEqual(admitted({ replicas: -3, template }).mistakes, ['spec.replicas Invalid']);
});
