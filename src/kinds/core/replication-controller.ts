import { integer, long, object, one, stringMap, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { ageColumn, nameColumn, pairs, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type ScaleRule } from '../kind.ts';
import { selectorMistake } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { podTemplateSpec, validateControllerTemplate } from './pod-template-spec.ts';
import { replicaColumns, templateColumns } from './template-columns.ts';

const specFields = {
  replicas: integer('How many pods there are to be.', { min: 0 }).keepZero().defaultsTo(1),
  selector: stringMap('Labels of the pods that are counted; those of the template unless given.'),
  template: one(podTemplateSpec, 'What new pods are made from.').mandatory(),
};
export interface ReplicationControllerSpec extends FieldsOf<typeof specFields> {}
const replicationControllerSpec: ObjectSchema<ReplicationControllerSpec> = object(
  'v1.ReplicationControllerSpec',
  'Which pods there are to be, and how many.',
  specFields,
  { validate: validateSpec },
);

const statusFields = {
  replicas: integer('How many pods there are.', { min: 0 }).mandatory().always(0),
  fullyLabeledReplicas: integer('How many of them have all labels of the template.', { min: 0 }),
  readyReplicas: integer('How many of them are ready.', { min: 0 }),
  availableReplicas: integer('How many of them can serve.', { min: 0 }),
  observedGeneration: long('Generation of the spec that this status is about.', { min: 0 }),
};
export interface ReplicationControllerStatus extends FieldsOf<typeof statusFields> {}
const replicationControllerStatus: ObjectSchema<ReplicationControllerStatus> = object(
  'v1.ReplicationControllerStatus',
  'How many pods there are.',
  statusFields,
);

const replicationControllerFields = {
  spec: one(replicationControllerSpec, 'Which pods there are to be, and how many.')
    .mandatory()
    .defaultsTo({} as ReplicationControllerSpec),
  status: one(replicationControllerStatus, 'How many pods there are.').mandatory().defaultsTo({ replicas: 0 }),
};
export interface ReplicationController extends ApiObject, FieldsOf<typeof replicationControllerFields> {}

/** A controller that has no labels of its own, or no selector, takes the labels of its template. */
function completeFromTemplate(controller: ReplicationController): void {
  const labels = templateLabels(controller);
  if (labels) controller.spec.selector ??= { ...labels };
  takeLabels(controller);
}

function takeLabels(controller: ReplicationController): void {
  const labels = templateLabels(controller);
  if (labels) controller.metadata.labels ??= { ...labels };
}

/** Templates keep empty labels for other workloads; here they are as good as none. */
function templateLabels({ spec }: ReplicationController): Readonly<Record<string, string>> | undefined {
  const labels = spec.template?.metadata.labels;
  return labels && Object.keys(labels).length > 0 ? labels : undefined;
}

function validateSpec(spec: ReplicationControllerSpec, path: Path, errors: FieldErrors): void {
  const { selector = {}, template, replicas = 0 } = spec;
  const mistake = selectorMistake({ matchLabels: selector });
  if (!spec.selector) errors.required(path.at('selector'));
  // What can be no label selects nothing, so that a selector is still missing: the reference's reason.
  else if (mistake !== undefined) errors.required(path.at('selector'), `give labels that pods can have; ${mistake}`);
  if (!template) return;
  const selects = (labels: Readonly<Record<string, string>>): boolean =>
    mistake !== undefined || Object.entries(selector).every(([key, value]) => labels[key] === value);
  validateControllerTemplate(template, { selects, replicas }, path.at('template'), errors);
}

function resetStatus(controller: ReplicationController): void {
  controller.status = { replicas: 0 };
}

const scale: ScaleRule<ReplicationController> = {
  getReplicas: ({ spec }) => spec.replicas ?? 0,
  setReplicas({ spec }, replicas) {
    spec.replicas = replicas;
  },
  getStatusReplicas: ({ status }) => status.replicas,
  getSelector({ spec: { selector = {} } }) {
    const parts = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
    return { text: parts.sort().join(','), labels: selector };
  },
};

const columns: readonly Column<ReplicationController>[] = [
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...templateColumns,
  { name: 'Selector', description: 'Labels of its pods.', wide: true, read: ({ spec }) => pairs(spec.selector) },
];

export const replicationController: Kind<ReplicationController> = defineKind<ReplicationController>({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  resource: 'replicationcontrollers',
  shortNames: ['rc'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  countsGenerations: true,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'ReplicationController', description: 'Keeps a number of pods of one make running.' },
    replicationControllerFields,
    { complete: completeFromTemplate },
  ),
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas) },
  columns,
  scale,
  prepareForCreate: resetStatus,
  prepareForStatusUpdate: takeLabels,
  prepareForExport: resetStatus,
  example: {
    kind: 'ReplicationController',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { app: 'web' },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1.9' }] } },
    },
    status: { replicas: 0 },
  },
});
