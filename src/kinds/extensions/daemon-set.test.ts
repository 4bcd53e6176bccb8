import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonSet, type DaemonSet } from './daemon-set.ts';
import { admit, checkExample, replace, type Admitted } from './testing/admit.ts';

const spec = { containers: [{ name: 'main', image: 'agent:1.0' }] };
const template = { metadata: { labels: { app: 'agent' } }, spec };

function admitted(body: unknown): Admitted<DaemonSet> {
  return admit(daemonSet, { metadata: { name: 'a' }, spec: body });
}

test('the example passes and stays as it is', () => checkExample(daemonSet));

test('selector and labels come from the template, and all counts begin at 0', () => {
  const { object, mistakes } = admit(daemonSet, {
    metadata: { name: 'a' },
    spec: { template },
    status: { desiredNumberScheduled: 3 },
  });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(object.spec.selector, { matchLabels: { app: 'agent' } });
  assert.deepEqual(object.metadata.labels, { app: 'agent' });
  assert.deepEqual(object.status, {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    desiredNumberScheduled: 0,
  });
});

test('the selector must choose something, and the pods', () => {
  assert.deepEqual(admitted({ selector: {}, template }).mistakes, ['spec.selector Invalid']);
  assert.deepEqual(admitted({ selector: { matchLabels: { a: 'b' } }, template }).mistakes, [
    'spec.template.metadata.labels Invalid',
  ]);
  assert.deepEqual(admitted({ template: { spec } }).mistakes, ['spec.template.metadata.labels Invalid']);
});

test('a selector that cannot be applied is reported once', () => {
  const near = { matchExpressions: [{ key: 'app', operator: 'Near' }] };
  assert.deepEqual(admitted({ selector: near, template }).mistakes, [
    'spec.selector.matchExpressions[0].operator Invalid',
  ]);
  const value = { matchExpressions: [{ key: 'app', operator: 'In', values: ['no good'] }] };
  assert.deepEqual(admitted({ selector: value, template }).mistakes, ['spec.selector Invalid']);
});

test('pods are always restarted and write no shared disk', () => {
  const volumes = [
    { name: 'a', gcePersistentDisk: { pdName: 'p', readOnly: true } },
    { name: 'b', gcePersistentDisk: { pdName: 'q' } },
  ];
  const bad = { ...template, spec: { ...spec, volumes, restartPolicy: 'Never' } };
  assert.deepEqual(admitted({ template: bad }).mistakes, [
    'spec.template.spec.volumes[1].gcePersistentDisk.readOnly Invalid',
    'spec.template.spec.restartPolicy NotSupported',
  ]);
});

test('the template may be changed', () => {
  const { object: old } = admitted({ template });
  const changed = { ...template, spec: { containers: [{ name: 'main', image: 'agent:2.0' }] } };
  assert.deepEqual(replace(daemonSet, old, { metadata: { name: 'a' }, spec: { template: changed } }).mistakes, []);
});
