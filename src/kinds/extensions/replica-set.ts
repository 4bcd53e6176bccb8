import { integer, list, long, object, one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { replicaColumns, templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import { labelSelector } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { appsRules } from './apps-rules.ts';
import {
  completeLabels,
  completeSelector,
  dropEmptyLabels,
  takeLabels,
  validateReplicatedTemplate,
} from './pod-template-rules.ts';
import { scaleRule } from './scale-rule.ts';
import { selectorColumn } from './selector-column.ts';
import { workloadCondition } from './workload-condition.ts';

const replicaSetSpecFields = {
  replicas: integer('How many pods there are to be.', { min: 0 }).keepZero().defaultsTo(1),
  selector: one(labelSelector, 'Which pods are counted; by default those with the labels of the template.'),
  template: one(podTemplateSpec, 'What missing pods are made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
  minReadySeconds: integer('Seconds that a pod must be ready before it counts as available.', { min: 0 }),
};
export interface ReplicaSetSpec extends FieldsOf<typeof replicaSetSpecFields> {}
const replicaSetSpec: ObjectSchema<ReplicaSetSpec> = object(
  'v1beta1.ReplicaSetSpec',
  'How many pods there are to be, and which.',
  replicaSetSpecFields,
  { complete: completeSelector, validate: validateReplicatedTemplate },
);

const replicaSetStatusFields = {
  replicas: integer('How many pods there are.', { min: 0 }).mandatory().always(0),
  fullyLabeledReplicas: integer('How many of them have all labels of the template.', { min: 0 }),
  readyReplicas: integer('How many of them are ready.', { min: 0 }),
  availableReplicas: integer('How many of them have been ready for long enough.', { min: 0 }),
  observedGeneration: long('Generation that this status is about.', { min: 0 }),
  conditions: list(workloadCondition('v1beta1.ReplicaSetCondition'), 'Whether pods can be made.').mergeBy('type'),
};
export interface ReplicaSetStatus extends FieldsOf<typeof replicaSetStatusFields> {}
const replicaSetStatus: ObjectSchema<ReplicaSetStatus> = object(
  'v1beta1.ReplicaSetStatus',
  'How many pods there are.',
  replicaSetStatusFields,
);

const description = 'Keeps a number of equal pods running.';

const replicaSetFields = {
  spec: one(replicaSetSpec, 'How many pods there are to be, and which.')
    .mandatory()
    .defaultsTo({} as ReplicaSetSpec),
  status: one(replicaSetStatus, 'How many pods there are.').defaultsTo({ replicas: 0 }),
};
export interface ReplicaSet extends ApiObject, FieldsOf<typeof replicaSetFields> {}

const v1SpecFields = {
  ...replicaSetSpecFields,
  selector: one(renameTypes(labelSelector, 'v1beta1', 'v1'), 'Which pods are counted; cannot be changed.').mandatory(),
};
interface V1Spec extends FieldsOf<typeof v1SpecFields> {}
const v1Spec: ObjectSchema<V1Spec> = object('v1.ReplicaSetSpec', replicaSetSpec.description, v1SpecFields);

const v1Fields = {
  spec: one(v1Spec, replicaSetSpec.description)
    .mandatory()
    .defaultsTo({} as V1Spec),
  status: one(renameTypes(replicaSetStatus, 'v1beta1', 'v1'), replicaSetStatus.description).defaultsTo({ replicas: 0 }),
};
interface V1ReplicaSet extends ApiObject, FieldsOf<typeof v1Fields> {}

const appsV1: OtherVersion<ReplicaSet, V1ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  schema: kindSchema<V1ReplicaSet>({ apiVersion: 'apps/v1', kind: 'ReplicaSet', description }, v1Fields, {
    complete: dropEmptyLabels,
  }),
  renamedFields: {},
  toStored: (replicaSet) => ({ ...replicaSet }),
  fromStored: (replicaSet) => ({ ...replicaSet }) as V1ReplicaSet,
  ...appsRules,
};

function resetStatus(replicaSet: ReplicaSet): void {
  replicaSet.status = { replicas: 0 };
}

export const replicaSet: Kind<ReplicaSet> = defineKind<ReplicaSet>({
  group: 'extensions',
  version: 'v1beta1',
  kind: 'ReplicaSet',
  resource: 'replicasets',
  shortNames: ['rs'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  countsGenerations: true,
  schema: kindSchema<ReplicaSet>(
    { apiVersion: 'extensions/v1beta1', kind: 'ReplicaSet', description },
    replicaSetFields,
    { complete: completeLabels },
  ),
  otherVersions: [appsV1],
  columns: [nameColumn, ...replicaColumns, ageColumn, ...templateColumns, selectorColumn],
  scale: scaleRule,
  prepareForCreate: resetStatus,
  prepareForExport: resetStatus,
  prepareForStatusUpdate: takeLabels,
  example: {
    kind: 'ReplicaSet',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'nginx:1.9' }] },
      },
    },
  },
});
