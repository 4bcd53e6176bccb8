import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validate } from '../../schema/validate.ts';
import { job, type Job } from './job.ts';
import { admit, checkExample, replace, testUid, type Admitted } from './testing/admit.ts';

const spec = { containers: [{ name: 'main', image: 'busybox:1.24' }], restartPolicy: 'Never' };
const template = { metadata: { labels: { job: 'a' } }, spec };

function admitted(body: object): Admitted<Job> {
  return admit(job, { metadata: { name: 'once' }, spec: { template, ...body } });
}

test('the example passes and stays as it is', () => checkExample(job));

test('a job that says nothing is done once; one that says how many at a time has no end of its own', () => {
  const counts = ({ object }: Admitted<Job>): unknown[] => [object.spec.parallelism, object.spec.completions];
  assert.deepEqual(counts(admitted({})), [1, 1]);
  assert.deepEqual(counts(admitted({ parallelism: 0 })), [0, undefined]);
  assert.deepEqual(counts(admitted({ completions: 4 })), [1, 4]);
  assert.deepEqual(counts(admitted({ completions: 0, parallelism: 2 })), [2, 0]);
});

test('selector and labels come from the template', () => {
  const { object, mistakes } = admitted({ autoSelector: false });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(object.spec.selector, { matchLabels: { job: 'a' } });
  assert.deepEqual(object.metadata.labels, { job: 'a' });
  assert.equal('autoSelector' in object.spec, false);
  assert.deepEqual(object.status, {});
});

test('with autoSelector the uid selects the pods', () => {
  const { object, mistakes } = admitted({ autoSelector: true });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(object.spec.selector, { matchLabels: { 'controller-uid': testUid } });
  assert.deepEqual(object.spec.template.metadata.labels, { 'controller-uid': testUid, 'job-name': 'once', job: 'a' });
  assert.deepEqual(object.metadata.labels, { job: 'a' });
});

test('with autoSelector a template without labels will do', () => {
  const { object, mistakes } = admitted({ autoSelector: true, template: { spec } });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(object.spec.template.metadata.labels, { 'controller-uid': testUid, 'job-name': 'once' });
});

test('with autoSelector other values of its labels are refused', () => {
  const labels = { 'job-name': 'other', 'controller-uid': 'x' };
  assert.deepEqual(admitted({ autoSelector: true, template: { metadata: { labels }, spec } }).mistakes, [
    'spec.template.metadata.labels Invalid',
    'spec.template.metadata.labels Invalid',
    'spec.template.metadata.labels Invalid',
  ]);
  assert.deepEqual(admitted({ autoSelector: true, selector: { matchLabels: { mine: 'x' } } }).mistakes, [
    'spec.template.metadata.labels Invalid',
    'spec.selector Invalid',
  ]);
});

test('a job without labels is refused', () => {
  assert.deepEqual(admitted({ template: { spec } }).mistakes, [
    'spec.selector Required',
    'spec.template.metadata.labels Invalid',
  ]);
  assert.deepEqual(admitted({ selector: {} }).mistakes, ['spec.selector Invalid']);
  assert.deepEqual(admitted({ selector: { matchLabels: { a: 'x' } } }).mistakes, [
    'spec.template.metadata.labels Invalid',
  ]);
});

test('pods that are always restarted never end', () => {
  assert.deepEqual(admitted({ template: { ...template, spec: { ...spec, restartPolicy: undefined } } }).mistakes, [
    'spec.template.spec.restartPolicy NotSupported',
  ]);
});

test('counts and deadlines are not negative; a deadline of 0 is kept', () => {
  assert.deepEqual(admitted({ parallelism: -1, completions: -1, activeDeadlineSeconds: -1 }).mistakes, [
    'spec.parallelism Invalid',
    'spec.completions Invalid',
    'spec.activeDeadlineSeconds Invalid',
  ]);
  assert.equal(admitted({ activeDeadlineSeconds: 0 }).object.spec.activeDeadlineSeconds, 0);
});

test('completions, selector and template cannot be changed, the rest can', () => {
  const { object: old } = admitted({ completions: 2 });
  const change = (body: object): readonly string[] =>
    replace(job, old, { metadata: { name: 'once' }, spec: { completions: 2, template, ...body } }).mistakes;
  assert.deepEqual(change({ parallelism: 5, activeDeadlineSeconds: 9 }), []);
  assert.deepEqual(change({ completions: 3 }), ['spec.completions Invalid']);
  const labels = { job: 'a', more: 'x' };
  assert.deepEqual(
    change({ template: { ...template, metadata: { labels } }, selector: { matchLabels: { more: 'x' } } }),
    ['spec.selector Invalid', 'spec.template Invalid'],
  );
});

test('an update of a job with a generated selector passes when it carries what was generated', () => {
  const { object: old } = admitted({ autoSelector: true });
  const body = structuredClone(old);
  delete body.metadata.uid;
  body.spec.parallelism = 3;
  assert.deepEqual(replace(job, old, body).mistakes, []);
});

test('a generated selector is looked at when the job is written, not when its status is', () => {
  const { object: old } = admitted({ autoSelector: true });
  const changed = { ...old, metadata: { ...old.metadata, uid: 'another' } };
  assert.deepEqual(replace(job, old, changed).mistakes, [
    'spec.template.metadata.labels Invalid',
    'spec.selector Invalid',
  ]);
  assert.deepEqual(validate(job.schema, changed).list, []);
});

test('jobs are selectable by how many pods succeeded', () => {
  const { object } = admitted({});
  assert.equal(job.selectableFields['status.successful']!(object), '0');
  object.status = { succeeded: 3 };
  assert.equal(job.selectableFields['status.successful']!(object), '3');
});
