import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { servedVersions } from '../served-version.ts';
import { job, type Job } from './job.ts';

const batch = servedVersions(job).find(({ group }) => group === 'batch')!;
const spec = { containers: [{ name: 'main', image: 'busybox:1.24' }], restartPolicy: 'Never' };
const template = { metadata: { labels: { job: 'a' } }, spec };
const metadata = { name: 'once', uid: '11111111-2222-4333-8444-555555555555' };

/** A body of batch/v1 as it is stored when it is created. */
function stored(body: object): Job {
  const decoded = decode(batch.schema, { metadata, spec: { template, ...body } });
  assert.deepEqual(decoded.unknown, []);
  const object = batch.conversion!.toStored(decoded.value) as Job;
  job.prepareForCreate!(object, { now: 0, uid: () => metadata.uid });
  return object;
}

/** A body of extensions/v1beta1 as batch/v1 shows it. */
function shown(body: object): { manualSelector?: boolean; autoSelector?: boolean; selector?: object } {
  const { value } = decode(job.schema, { metadata, spec: { template, ...body } });
  return (batch.conversion!.fromStored(value) as unknown as { spec: object }).spec;
}

test('the server makes the selector unless manualSelector is set', () => {
  for (const body of [{}, { manualSelector: false }]) {
    const { spec: made } = stored(body);
    assert.equal(made.autoSelector, true);
    assert.equal('manualSelector' in made, false);
    assert.deepEqual(made.selector, { matchLabels: { 'controller-uid': metadata.uid } });
  }
});

test('a manual selector is stored as given', () => {
  const selector = { matchLabels: { job: 'a' } };
  const object = stored({ manualSelector: true, selector });
  assert.deepEqual(object.spec.selector, selector);
  assert.equal('autoSelector' in object.spec, false);
  assert.deepEqual(validate(job.schema, object).list, []);
});

test('a manual selector is not taken from the template, unlike in extensions/v1beta1', () => {
  const mistakes = validate(job.schema, stored({ manualSelector: true })).list;
  assert.deepEqual(
    mistakes.map(({ field, reason }) => [field, reason]),
    [
      ['spec.selector', 'FieldValueRequired'],
      ['spec.template.metadata.labels', 'FieldValueInvalid'],
    ],
  );
});

test('a job of extensions/v1beta1 shows whether its selector is its own', () => {
  assert.equal(shown({}).manualSelector, true);
  assert.equal(shown({ autoSelector: false }).manualSelector, true);
  assert.equal('manualSelector' in shown({ autoSelector: true }), false);
  assert.equal('autoSelector' in shown({ autoSelector: true }), false);
  assert.deepEqual(shown({}).selector, { matchLabels: { job: 'a' } });
});

test('counts and labels are completed as in extensions/v1beta1', () => {
  const { spec: made, metadata: meta } = stored({});
  assert.deepEqual([made.parallelism, made.completions], [1, 1]);
  assert.equal(stored({ parallelism: 3 }).spec.completions, undefined);
  assert.deepEqual(meta.labels, { job: 'a' });
});
