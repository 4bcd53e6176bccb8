import { boolean, integer, list, long, object, one, string, time, type FieldsOf } from '../../schema/builders.ts';
import { shortDuration } from '../../base/short-duration.ts';
import { equal } from '../../schema/equal.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import { labelSelector, selectorMistake, selectsLabels } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { completeLabels, completeSelector, validateSelector } from './pod-template-rules.ts';
import { selectorColumn } from './selector-column.ts';

const jobSpecFields = {
  parallelism: integer('How many pods may run at a time.', { min: 0 }).keepZero(),
  completions: integer('How many pods must succeed; when absent, one success ends the job.', { min: 0 }).keepZero(),
  activeDeadlineSeconds: long('Seconds after which the job is ended, whatever it does.', { min: 0 }).keepZero(),
  selector: one(labelSelector, 'Which pods are its own; by default those with the labels of the template.'),
  autoSelector: boolean('Whether the server makes a selector and labels that no other job has.'),
  template: one(podTemplateSpec, 'What the pods are made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
};
export interface JobSpec extends FieldsOf<typeof jobSpecFields> {}
const jobSpec: ObjectSchema<JobSpec> = object('v1beta1.JobSpec', 'What is to be done.', jobSpecFields, {
  complete: completeJobSpec,
  validate: validateJobSpec,
});

function completeJobSpec(spec: JobSpec): void {
  completeCounts(spec);
  if (!spec.autoSelector) completeSelector(spec);
}

/** A job that says neither is done once; one that says only how many at a time is a queue of unknown length. */
function completeCounts(spec: Pick<JobSpec, 'parallelism' | 'completions'>): void {
  if (spec.parallelism === undefined && spec.completions === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
}

function validateJobSpec({ selector, template }: JobSpec, path: Path, errors: FieldErrors): void {
  const where = path.at('selector');
  if (!selector) errors.required(where, 'give labels that the pods have, or let the server make them');
  const applicable = validateSelector(selector, where, errors);
  const { metadata, spec } = template;
  if (applicable && !selectsLabels(selector, metadata.labels)) {
    const labels = path.at('template').at('metadata').at('labels');
    errors.invalid(labels, metadata.labels ?? {}, 'the selector does not match them');
  }
  if (spec.restartPolicy === 'Always') {
    errors.notSupported(path.at('template').at('spec').at('restartPolicy'), 'Always', ['OnFailure', 'Never']);
  }
}

const jobConditionFields = {
  type: string('Complete or Failed.').mandatory().always(''),
  status: string('True, False or Unknown.').mandatory().always(''),
  lastProbeTime: time('When this was last looked at.'),
  lastTransitionTime: time('When this last changed.'),
  reason: string('Why it changed, for machines.'),
  message: string('Why it changed, for people.'),
};
export interface JobCondition extends FieldsOf<typeof jobConditionFields> {}
const jobCondition: ObjectSchema<JobCondition> = object(
  'v1beta1.JobCondition',
  'One thing that holds of a job or does not.',
  jobConditionFields,
);

const jobStatusFields = {
  conditions: list(jobCondition, 'Whether the job is done or has failed.').mergeBy('type'),
  startTime: time('When the job was first seen by its controller.'),
  completionTime: time('When the job was done.'),
  active: integer('How many pods run.', { min: 0 }),
  succeeded: integer('How many pods have succeeded.', { min: 0 }),
  failed: integer('How many pods have failed.', { min: 0 }),
};
export interface JobStatus extends FieldsOf<typeof jobStatusFields> {}
const jobStatus: ObjectSchema<JobStatus> = object('v1beta1.JobStatus', 'How far the job has got.', jobStatusFields);

const description = 'Runs pods until enough of them have succeeded.';

const jobFields = {
  spec: one(jobSpec, 'What is to be done.')
    .mandatory()
    .defaultsTo({} as JobSpec),
  status: one(jobStatus, 'How far the job has got.').defaultsTo({}),
};
export interface Job extends ApiObject, FieldsOf<typeof jobFields> {}

const { autoSelector: _autoSelector, template, ...sharedSpecFields } = jobSpecFields;
const batchJobSpecFields = {
  ...sharedSpecFields,
  selector: one(renameTypes(labelSelector, 'v1beta1', 'v1'), jobSpecFields.selector.description),
  manualSelector: boolean('Whether selector and labels are given here, rather than made by the server.'),
  template,
};
interface BatchJobSpec extends FieldsOf<typeof batchJobSpecFields> {}
const batchJobSpec: ObjectSchema<BatchJobSpec> = object('v1.JobSpec', 'What is to be done.', batchJobSpecFields, {
  complete: completeCounts,
});

const batchJobFields = {
  spec: one(batchJobSpec, jobFields.spec.description)
    .mandatory()
    .defaultsTo({} as BatchJobSpec),
  status: one(renameTypes(jobStatus, 'v1beta1', 'v1'), jobFields.status.description).defaultsTo({}),
};
interface BatchJob extends ApiObject, FieldsOf<typeof batchJobFields> {}

/** Here the server makes the selector unless it is told not to, there only when it is told to. In both, false is the same as nothing. */
const batchV1: OtherVersion<Job, BatchJob> = {
  group: 'batch',
  version: 'v1',
  schema: kindSchema<BatchJob>({ apiVersion: 'batch/v1', kind: 'Job', description }, batchJobFields, {
    complete: completeLabels,
  }),
  renamedFields: { 'spec.autoSelector': 'spec.manualSelector' },
  toStored(job) {
    const { manualSelector, ...spec } = job.spec;
    return { ...job, spec: manualSelector ? spec : { ...spec, autoSelector: true } };
  },
  fromStored(job) {
    const { autoSelector, ...spec } = job.spec;
    return { ...job, spec: autoSelector ? spec : { ...spec, manualSelector: true } };
  },
};

/** Labels by which a job with autoSelector knows its pods. */
function ownLabels({ metadata }: Job): Record<string, string> {
  return { 'controller-uid': metadata.uid ?? '', 'job-name': metadata.name ?? '' };
}

/** Adds the labels and the selector that are missing; what the user gave of them stays, and is refused later if it is wrong. */
function generateSelector(job: Job): void {
  const { spec } = job;
  const labels = ownLabels(job);
  spec.template.metadata.labels = { ...labels, ...spec.template.metadata.labels };
  const matchLabels = { 'controller-uid': labels['controller-uid']!, ...spec.selector?.matchLabels };
  spec.selector = { ...spec.selector, matchLabels };
}

/** Not for writes of status, which may not touch what this looks at. */
function validateGeneratedSelector(job: Job, errors: FieldErrors): void {
  const { autoSelector, selector, template } = job.spec;
  if (!autoSelector || !selector) return;
  if (!job.metadata.uid) errors.required(Path.of('metadata', 'uid'));
  const spec = Path.of('spec');
  const labels = ownLabels(job);
  for (const [key, value] of Object.entries(labels)) {
    const where = spec.at('template').at('metadata').at('labels');
    const actual = template.metadata.labels?.[key];
    if (actual === undefined) errors.required(where, `the pods must have ${key}=${value}`);
    else if (actual !== value) errors.invalid(where, actual, `${key} must be ${value}`);
  }
  if (selectorMistake(selector) === undefined && !selectsLabels(selector, labels)) {
    errors.invalid(spec.at('selector'), selector, 'leave out the selector that the server is to make');
  }
}

function validateUpdate(job: Job, old: Job, errors: FieldErrors): void {
  validateGeneratedSelector(job, errors);
  for (const field of ['completions', 'selector', 'template'] as const) {
    const [value, oldValue] = [job.spec[field], old.spec[field]];
    if (!equal(jobSpecFields[field].schema, value, oldValue))
      errors.invalid(Path.of('spec', field), value, 'cannot be changed');
  }
}

/** How many pods succeeded, of how many must; a queue of unknown length is told by how many work on it. */
function progress({ spec, status }: Job): string {
  const { completions, parallelism = 1 } = spec;
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function timeTaken({ status }: Job, now: number): string {
  if (!status?.startTime) return '';
  const end = status.completionTime ? Date.parse(status.completionTime) : now;
  return shortDuration(end - Date.parse(status.startTime));
}

const columns: readonly Column<Job>[] = [
  nameColumn,
  { name: 'Completions', description: 'How many pods succeeded, of how many must.', read: progress },
  { name: 'Duration', description: 'How long the job took, or takes.', read: (job, { now }) => timeTaken(job, now) },
  ageColumn,
  ...templateColumns,
  selectorColumn,
];

function resetStatus(job: Job): void {
  job.status = {};
}

export const job: Kind<Job> = defineKind<Job>({
  group: 'extensions',
  version: 'v1beta1',
  kind: 'Job',
  resource: 'jobs',
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  schema: kindSchema<Job>({ apiVersion: 'extensions/v1beta1', kind: 'Job', description }, jobFields, {
    complete: completeLabels,
  }),
  otherVersions: [batchV1],
  columns,
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  prepareForCreate(job) {
    resetStatus(job);
    if (job.spec.autoSelector) generateSelector(job);
  },
  prepareForExport: resetStatus,
  validateCreate: validateGeneratedSelector,
  validateUpdate,
  example: {
    kind: 'Job',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'once' },
    spec: {
      template: {
        metadata: { labels: { job: 'once' } },
        spec: { containers: [{ name: 'main', image: 'busybox:1.24' }], restartPolicy: 'Never' },
      },
    },
  },
});
