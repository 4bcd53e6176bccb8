import { integer, list, long, object, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, validateControllerTemplate, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn, pairs, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import { labelSelector, selectsLabels } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { appsRules } from './apps-rules.ts';
import { daemonSetUpdateStrategy } from './daemon-set-update-strategy.ts';
import {
  completeLabels,
  completeSelector,
  dropEmptyLabels,
  takeLabels,
  validateSelector,
} from './pod-template-rules.ts';
import { selectorColumn } from './selector-column.ts';
import { workloadCondition } from './workload-condition.ts';

const daemonSetSpecFields = {
  selector: one(labelSelector, 'Which pods are its own; by default those with the labels of the template.'),
  template: one(podTemplateSpec, 'What the pod of each node is made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
  updateStrategy: one(
    daemonSetUpdateStrategy('v1beta1', 'OnDelete'),
    'How pods of an earlier template are replaced.',
  ).defaultsTo({}),
  minReadySeconds: integer('Seconds that a pod must be ready before it counts as available.', { min: 0 }),
  revisionHistoryLimit: integer('How many earlier templates are kept to go back to.', { min: 0 })
    .keepZero()
    .defaultsTo(10),
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
  numberReady: integer('Nodes whose pod is ready.', { min: 0 }).mandatory().always(0),
  observedGeneration: long('Generation that this status is about.', { min: 0 }),
  updatedNumberScheduled: integer('Nodes that run a pod of the present template.', { min: 0 }),
  numberAvailable: integer('Nodes whose pod has been ready for long enough.', { min: 0 }),
  numberUnavailable: integer('Nodes that are to run the pod and have none that is available.', { min: 0 }),
  collisionCount: integer('How often the name of a revision was taken already.', { min: 0 }).keepZero(),
  conditions: list(workloadCondition('v1beta1.DaemonSetCondition'), 'What else there is to say.').mergeBy('type'),
};
export interface DaemonSetStatus extends FieldsOf<typeof daemonSetStatusFields> {}
const daemonSetStatus: ObjectSchema<DaemonSetStatus> = object(
  'v1beta1.DaemonSetStatus',
  'On how many nodes the pod runs.',
  daemonSetStatusFields,
);

const initialStatus: DaemonSetStatus = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};

const description = 'Runs one pod on each node that fits.';

const daemonSetFields = {
  spec: one(daemonSetSpec, 'Which pod each node is to run.')
    .mandatory()
    .defaultsTo({} as DaemonSetSpec),
  status: one(daemonSetStatus, 'On how many nodes the pod runs.').defaultsTo(initialStatus),
};
export interface DaemonSet extends ApiObject, FieldsOf<typeof daemonSetFields> {}

const v1SpecFields = {
  ...daemonSetSpecFields,
  selector: one(renameTypes(labelSelector, 'v1beta1', 'v1'), 'Which pods are its own; cannot be changed.').mandatory(),
  updateStrategy: one(
    daemonSetUpdateStrategy('v1', 'RollingUpdate'),
    daemonSetSpecFields.updateStrategy.description,
  ).defaultsTo({}),
};
interface V1Spec extends FieldsOf<typeof v1SpecFields> {}
const v1Spec: ObjectSchema<V1Spec> = object('v1.DaemonSetSpec', daemonSetSpec.description, v1SpecFields);

const v1Fields = {
  spec: one(v1Spec, daemonSetSpec.description)
    .mandatory()
    .defaultsTo({} as V1Spec),
  status: one(renameTypes(daemonSetStatus, 'v1beta1', 'v1'), daemonSetStatus.description).defaultsTo(initialStatus),
};
interface V1DaemonSet extends ApiObject, FieldsOf<typeof v1Fields> {}

const appsV1: OtherVersion<DaemonSet, V1DaemonSet> = {
  group: 'apps',
  version: 'v1',
  schema: kindSchema<V1DaemonSet>({ apiVersion: 'apps/v1', kind: 'DaemonSet', description }, v1Fields, {
    complete: dropEmptyLabels,
  }),
  renamedFields: {},
  toStored: (daemonSet) => ({ ...daemonSet }),
  fromStored: (daemonSet) => ({ ...daemonSet }) as V1DaemonSet,
  ...appsRules,
};

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
    name: 'Ready',
    description: 'Nodes whose pod is ready.',
    type: 'integer',
    read: ({ status }) => status?.numberReady ?? 0,
  },
  {
    name: 'Up-to-date',
    description: 'Nodes that run a pod of the present template.',
    type: 'integer',
    read: ({ status }) => status?.updatedNumberScheduled ?? 0,
  },
  {
    name: 'Available',
    description: 'Nodes whose pod has been ready for long enough.',
    type: 'integer',
    read: ({ status }) => status?.numberAvailable ?? 0,
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

function resetStatus(daemonSet: DaemonSet): void {
  daemonSet.status = { ...initialStatus };
}

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
  schema: kindSchema<DaemonSet>({ apiVersion: 'extensions/v1beta1', kind: 'DaemonSet', description }, daemonSetFields, {
    complete: completeLabels,
  }),
  otherVersions: [appsV1],
  columns,
  prepareForCreate: resetStatus,
  prepareForExport: resetStatus,
  prepareForStatusUpdate: takeLabels,
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
