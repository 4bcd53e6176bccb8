import { boolean, integer, list, long, object, one, type FieldsOf } from '../../schema/builders.ts';
import { equal } from '../../schema/equal.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import { labelSelector } from '../meta/label-selector.ts';
import { objectMeta, type ApiObject } from '../meta/object-meta.ts';
import { appsRules } from './apps-rules.ts';
import { noteRollback, rollbackConfig, takeRollback } from './deployment-rollback.ts';
import { deploymentStrategy } from './deployment-strategy.ts';
import { completeLabels, completeSelector, dropEmptyLabels, validateReplicatedTemplate } from './pod-template-rules.ts';
import { scaleRule } from './scale-rule.ts';
import { selectorColumn } from './selector-column.ts';
import { deploymentCondition } from './workload-condition.ts';

const deploymentSpecFields = {
  replicas: integer('How many pods there are to be.', { min: 0 }).keepZero().defaultsTo(1),
  selector: one(labelSelector, 'Which pods are its own; by default those with the labels of the template.'),
  template: one(podTemplateSpec, 'What the pods are made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
  strategy: one(deploymentStrategy('v1beta1', 1), 'How old pods are replaced by new ones.').defaultsTo({}),
  minReadySeconds: integer('Seconds that a new pod must be ready before it counts.', { min: 0 }),
  revisionHistoryLimit: integer('How many old replica sets are kept to go back to; all when absent.', {
    min: 0,
  }).keepZero(),
  progressDeadlineSeconds: integer('Seconds without progress after which a rollout has failed; never when absent.', {
    min: 0,
  }).keepZero(),
  paused: boolean('Whether changes of the template wait.'),
  rollbackTo: one(rollbackConfig, 'Asks to go back; taken away when that is done.'),
};
export interface DeploymentSpec extends FieldsOf<typeof deploymentSpecFields> {}
const deploymentSpec: ObjectSchema<DeploymentSpec> = object(
  'v1beta1.DeploymentSpec',
  'Which pods there are to be, and how they are replaced.',
  deploymentSpecFields,
  { complete: completeSpec, validate: validateSpec },
);

/** What versions that must name a number say where there is no limit. */
const noLimit = 2 ** 31 - 1;
const limits = ['revisionHistoryLimit', 'progressDeadlineSeconds'] as const;

function completeSpec(spec: DeploymentSpec): void {
  completeSelector(spec);
  dropNoLimit(spec);
}

function dropNoLimit(spec: DeploymentSpec): void {
  for (const field of limits) if (spec[field] === noLimit) delete spec[field];
}

function validateSpec(spec: DeploymentSpec, path: Path, errors: FieldErrors): void {
  validateReplicatedTemplate(spec, path, errors);
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline !== undefined && deadline >= 0 && deadline <= minReadySeconds) {
    errors.invalid(
      path.at('progressDeadlineSeconds'),
      deadline,
      `must be above minReadySeconds, which is ${minReadySeconds}`,
    );
  }
}

const deploymentStatusFields = {
  observedGeneration: long('Generation that this status is about.', { min: 0 }),
  replicas: integer('How many pods there are.', { min: 0 }),
  updatedReplicas: integer('How many of them are made from the present template.', { min: 0 }),
  readyReplicas: integer('How many of them are ready.', { min: 0 }),
  availableReplicas: integer('How many of them have been ready for long enough.', { min: 0 }),
  unavailableReplicas: integer('How many of them have not.', { min: 0 }),
  conditions: list(deploymentCondition, 'Whether the pods can serve, and whether the rollout goes on.').mergeBy('type'),
  collisionCount: integer('How often the name of a replica set was taken already.', { min: 0 }).keepZero(),
};
export interface DeploymentStatus extends FieldsOf<typeof deploymentStatusFields> {}
const deploymentStatus: ObjectSchema<DeploymentStatus> = object(
  'v1beta1.DeploymentStatus',
  'How far the deployment has got.',
  deploymentStatusFields,
);

const description = 'Runs equal pods and replaces them step by step.';

const deploymentFields = {
  spec: one(deploymentSpec, 'Which pods there are to be, and how they are replaced.')
    .mandatory()
    .defaultsTo({} as DeploymentSpec),
  status: one(deploymentStatus, 'How far the deployment has got.').defaultsTo({}),
};
export interface Deployment extends ApiObject, FieldsOf<typeof deploymentFields> {}

const { rollbackTo: _rollbackTo, ...sharedSpecFields } = deploymentSpecFields;
const v1SpecFields = {
  ...sharedSpecFields,
  selector: one(renameTypes(labelSelector, 'v1beta1', 'v1'), 'Which pods are its own; cannot be changed.').mandatory(),
  strategy: one(deploymentStrategy('v1', '25%'), deploymentSpecFields.strategy.description).defaultsTo({}),
  revisionHistoryLimit: sharedSpecFields.revisionHistoryLimit.defaultsTo(10),
  progressDeadlineSeconds: sharedSpecFields.progressDeadlineSeconds.defaultsTo(600),
};
interface V1Spec extends FieldsOf<typeof v1SpecFields> {}
const v1Spec: ObjectSchema<V1Spec> = object('v1.DeploymentSpec', deploymentSpec.description, v1SpecFields);

const v1Fields = {
  spec: one(v1Spec, deploymentSpec.description)
    .mandatory()
    .defaultsTo({} as V1Spec),
  status: one(renameTypes(deploymentStatus, 'v1beta1', 'v1'), deploymentStatus.description).defaultsTo({}),
};
interface V1Deployment extends ApiObject, FieldsOf<typeof v1Fields> {}

/** Here a rollback is asked for by an annotation, and there is always a limit, if only the largest number. */
const appsV1: OtherVersion<Deployment, V1Deployment> = {
  group: 'apps',
  version: 'v1',
  schema: kindSchema<V1Deployment>({ apiVersion: 'apps/v1', kind: 'Deployment', description }, v1Fields, {
    complete: dropEmptyLabels,
  }),
  renamedFields: {
    'spec.rollbackTo': 'metadata.annotations',
    'spec.rollbackTo.revision': 'metadata.annotations',
  },
  toStored(deployment) {
    const { metadata, rollbackTo } = takeRollback(deployment.metadata);
    const spec: DeploymentSpec = { ...deployment.spec, ...(rollbackTo && { rollbackTo }) };
    dropNoLimit(spec);
    return { ...deployment, metadata, spec };
  },
  fromStored(deployment) {
    const { rollbackTo, ...rest } = deployment.spec;
    const spec = { ...rest } as V1Spec;
    for (const field of limits) spec[field] ??= noLimit;
    const metadata = rollbackTo ? noteRollback(deployment.metadata, rollbackTo) : deployment.metadata;
    return { ...deployment, metadata, spec };
  },
  ...appsRules,
};

const columns: readonly Column<Deployment>[] = [
  nameColumn,
  {
    name: 'Ready',
    description: 'How many pods can serve, of how many there are to be.',
    read: ({ spec, status }) => `${status?.readyReplicas ?? status?.availableReplicas ?? 0}/${spec.replicas ?? 0}`,
  },
  {
    name: 'Up-to-date',
    description: 'How many pods are made from the present template.',
    type: 'integer',
    read: ({ status }) => status?.updatedReplicas ?? 0,
  },
  {
    name: 'Available',
    description: 'How many pods have been ready for long enough.',
    type: 'integer',
    read: ({ status }) => status?.availableReplicas ?? 0,
  },
  ageColumn,
  ...templateColumns,
  selectorColumn,
];

function resetStatus(deployment: Deployment): void {
  deployment.status = {};
}

export const deployment: Kind<Deployment> = defineKind<Deployment>({
  group: 'extensions',
  version: 'v1beta1',
  kind: 'Deployment',
  resource: 'deployments',
  shortNames: ['deploy'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  countsGenerations: true,
  schema: kindSchema<Deployment>(
    { apiVersion: 'extensions/v1beta1', kind: 'Deployment', description },
    deploymentFields,
    { complete: completeLabels },
  ),
  otherVersions: [appsV1],
  columns,
  scale: scaleRule,
  prepareForCreate: resetStatus,
  prepareForExport: resetStatus,
  prepareForUpdate({ metadata }, old) {
    // Annotations are handed on to replica sets, so the controller must see that they changed.
    const changed = !equal(objectMeta.fields['annotations']!.schema, metadata.annotations, old.metadata.annotations);
    if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  prepareForStatusUpdate(deployment, old) {
    // Of all kinds only this one keeps its labels when its status is written, as in the reference.
    deployment.metadata.labels = old.metadata.labels;
  },
  example: {
    kind: 'Deployment',
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
