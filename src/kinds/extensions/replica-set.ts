import { integer, long, object, one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { replicaColumns, templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import { labelSelector } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { completeLabels, completeSelector, validateReplicatedTemplate } from './pod-template-rules.ts';
import { scaleRule } from './scale-rule.ts';
import { selectorColumn } from './selector-column.ts';

const replicaSetSpecFields = {
  replicas: integer('How many pods there are to be.', { min: 0 }).keepZero().defaultsTo(1),
  selector: one(labelSelector, 'Which pods are counted; by default those with the labels of the template.'),
  template: one(podTemplateSpec, 'What missing pods are made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
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
  observedGeneration: long('Generation that this status is about.', { min: 0 }),
};
export interface ReplicaSetStatus extends FieldsOf<typeof replicaSetStatusFields> {}
const replicaSetStatus: ObjectSchema<ReplicaSetStatus> = object(
  'v1beta1.ReplicaSetStatus',
  'How many pods there are.',
  replicaSetStatusFields,
);

const replicaSetFields = {
  spec: one(replicaSetSpec, 'How many pods there are to be, and which.')
    .mandatory()
    .defaultsTo({} as ReplicaSetSpec),
  status: one(replicaSetStatus, 'How many pods there are.').defaultsTo({ replicas: 0 }),
};
export interface ReplicaSet extends ApiObject, FieldsOf<typeof replicaSetFields> {}

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
    { apiVersion: 'extensions/v1beta1', kind: 'ReplicaSet', description: 'Keeps a number of equal pods running.' },
    replicaSetFields,
    { complete: completeLabels },
  ),
  columns: [nameColumn, ...replicaColumns, ageColumn, ...templateColumns, selectorColumn],
  scale: scaleRule,
  prepareForCreate(replicaSet) {
    replicaSet.status = { replicas: 0 };
  },
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
