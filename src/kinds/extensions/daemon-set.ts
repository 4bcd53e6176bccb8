import { integer, object, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, validateControllerTemplate, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn, pairs, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import { labelSelector, selectsLabels } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { completeLabels, completeSelector, validateSelector } from './pod-template-rules.ts';
import { selectorColumn } from './selector-column.ts';

const daemonSetSpecFields = {
  selector: one(labelSelector, 'Which pods are its own; by default those with the labels of the template.'),
  template: one(podTemplateSpec, 'What the pod of each node is made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
};
export interface DaemonSetSpec extends FieldsOf<typeof daemonSetSpecFields> {}
const daemonSetSpec: ObjectSchema<DaemonSetSpec> = object(
  'v1beta1.DaemonSetSpec',
  'Which pod each node is to run.',
  daemonSetSpecFields,
  { complete: completeSelector, validate: validateDaemonSetSpec },
);

function validateDaemonSetSpec({ selector, template }: DaemonSetSpec, path: Path, errors: FieldErrors): void {
  const applicable = validateSelector(selector, path.at('selector'), errors);
  const use = {
    selects: (labels: Record<string, string>) => !applicable || selectsLabels(selector, labels),
    // There may be as many pods as there are nodes.
    replicas: Infinity,
  };
  validateControllerTemplate(template, use, path.at('template'), errors);
}

const daemonSetStatusFields = {
  currentNumberScheduled: integer('Nodes that run the pod and are to.', { min: 0 }).mandatory().always(0),
  numberMisscheduled: integer('Nodes that run the pod but are not to.', { min: 0 }).mandatory().always(0),
  desiredNumberScheduled: integer('Nodes that are to run the pod.', { min: 0 }).mandatory().always(0),
};
export interface DaemonSetStatus extends FieldsOf<typeof daemonSetStatusFields> {}
const daemonSetStatus: ObjectSchema<DaemonSetStatus> = object(
  'v1beta1.DaemonSetStatus',
  'On how many nodes the pod runs.',
  daemonSetStatusFields,
);

const initialStatus: DaemonSetStatus = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0 };

const daemonSetFields = {
  spec: one(daemonSetSpec, 'Which pod each node is to run.')
    .mandatory()
    .defaultsTo({} as DaemonSetSpec),
  status: one(daemonSetStatus, 'On how many nodes the pod runs.').defaultsTo(initialStatus),
};
export interface DaemonSet extends ApiObject, FieldsOf<typeof daemonSetFields> {}

const columns: readonly Column<DaemonSet>[] = [
  nameColumn,
  {
    name: 'Desired',
    description: 'Nodes that are to run the pod.',
    type: 'integer',
    read: ({ status }) => status?.desiredNumberScheduled ?? 0,
  },
  {
    name: 'Current',
    description: 'Nodes that run the pod and are to.',
    type: 'integer',
    read: ({ status }) => status?.currentNumberScheduled ?? 0,
  },
  {
    name: 'Node Selector',
    description: 'Labels of the nodes that are to run the pod.',
    read: ({ spec }) => pairs(spec.template.spec?.nodeSelector),
  },
  ageColumn,
  ...templateColumns,
  selectorColumn,
];

export const daemonSet: Kind<DaemonSet> = defineKind<DaemonSet>({
  group: 'extensions',
  version: 'v1beta1',
  kind: 'DaemonSet',
  resource: 'daemonsets',
  shortNames: ['ds'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  countsGenerations: true,
  schema: kindSchema<DaemonSet>(
    { apiVersion: 'extensions/v1beta1', kind: 'DaemonSet', description: 'Runs one pod on each node that fits.' },
    daemonSetFields,
    { complete: completeLabels },
  ),
  columns,
  prepareForCreate(daemonSet) {
    daemonSet.status = { ...initialStatus };
  },
  example: {
    kind: 'DaemonSet',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'agent' },
    spec: {
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'main', image: 'agent:1.0' }] },
      },
    },
  },
});
