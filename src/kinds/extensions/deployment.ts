import { boolean, integer, intOrString, long, object, one, oneOf, type FieldsOf } from '../../schema/builders.ts';
import { equal } from '../../schema/equal.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { podTemplateSpec, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { templateColumns } from '../core/template-columns.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import { labelSelector } from '../meta/label-selector.ts';
import { objectMeta, type ApiObject } from '../meta/object-meta.ts';
import { rollbackConfig } from './deployment-rollback.ts';
import { isNone, percentOf, validateIntOrPercent } from './int-or-percent.ts';
import { completeLabels, completeSelector, validateReplicatedTemplate } from './pod-template-rules.ts';
import { scaleRule } from './scale-rule.ts';
import { selectorColumn } from './selector-column.ts';

const rollingUpdateFields = {
  maxUnavailable: intOrString('How many pods may be missing meanwhile: a count, or a percentage.').keepZero(),
  maxSurge: intOrString('How many pods may be too many meanwhile: a count, or a percentage.').keepZero(),
};
export interface RollingUpdateDeployment extends FieldsOf<typeof rollingUpdateFields> {}
const rollingUpdateDeployment: ObjectSchema<RollingUpdateDeployment> = object(
  'v1beta1.RollingUpdateDeployment',
  'How fast pods are replaced.',
  rollingUpdateFields,
);

const strategyFields = {
  type: oneOf(['Recreate', 'RollingUpdate'], 'Whether old pods go before new ones come.').defaultsTo('RollingUpdate'),
  rollingUpdate: one(rollingUpdateDeployment, 'How fast pods are replaced; only for RollingUpdate.'),
};
export interface DeploymentStrategy extends FieldsOf<typeof strategyFields> {}
const deploymentStrategy: ObjectSchema<DeploymentStrategy> = object(
  'v1beta1.DeploymentStrategy',
  'How old pods are replaced by new ones.',
  strategyFields,
  { complete: completeStrategy, validate: validateStrategy },
);

function completeStrategy(strategy: DeploymentStrategy): void {
  if (strategy.type !== 'RollingUpdate') return;
  strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 1, ...strategy.rollingUpdate };
}

function validateStrategy({ type, rollingUpdate }: DeploymentStrategy, path: Path, errors: FieldErrors): void {
  const where = path.at('rollingUpdate');
  if (type === 'Recreate' && rollingUpdate) errors.forbidden(where, 'there is no rolling update with Recreate');
  if (type === 'RollingUpdate' && rollingUpdate) validateRollingUpdate(rollingUpdate, where, errors);
}

function validateRollingUpdate(rollingUpdate: RollingUpdateDeployment, path: Path, errors: FieldErrors): void {
  const { maxUnavailable = 1, maxSurge = 1 } = rollingUpdate;
  const where = path.at('maxUnavailable');
  validateIntOrPercent(maxUnavailable, where, errors);
  validateIntOrPercent(maxSurge, path.at('maxSurge'), errors);
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.invalid(where, maxUnavailable, 'no pod could ever be replaced: maxSurge is 0, too');
  }
  if ((percentOf(maxUnavailable) ?? 0) > 100) errors.invalid(where, maxUnavailable, 'must not be above 100%');
}

const deploymentSpecFields = {
  replicas: integer('How many pods there are to be.', { min: 0 }).keepZero().defaultsTo(1),
  selector: one(labelSelector, 'Which pods are its own; by default those with the labels of the template.'),
  template: one(podTemplateSpec, 'What the pods are made from.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
  strategy: one(deploymentStrategy, 'How old pods are replaced by new ones.').defaultsTo({}),
  minReadySeconds: integer('Seconds that a new pod must be ready before it counts.', { min: 0 }),
  revisionHistoryLimit: integer('How many old replica sets are kept to go back to; all when absent.', {
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
  { complete: completeSelector, validate: validateReplicatedTemplate },
);

const deploymentStatusFields = {
  observedGeneration: long('Generation that this status is about.', { min: 0 }),
  replicas: integer('How many pods there are.', { min: 0 }),
  updatedReplicas: integer('How many of them are made from the present template.', { min: 0 }),
  availableReplicas: integer('How many of them have been ready for long enough.', { min: 0 }),
  unavailableReplicas: integer('How many of them have not.', { min: 0 }),
};
export interface DeploymentStatus extends FieldsOf<typeof deploymentStatusFields> {}
const deploymentStatus: ObjectSchema<DeploymentStatus> = object(
  'v1beta1.DeploymentStatus',
  'How far the deployment has got.',
  deploymentStatusFields,
);

const deploymentFields = {
  spec: one(deploymentSpec, 'Which pods there are to be, and how they are replaced.')
    .mandatory()
    .defaultsTo({} as DeploymentSpec),
  status: one(deploymentStatus, 'How far the deployment has got.').defaultsTo({}),
};
export interface Deployment extends ApiObject, FieldsOf<typeof deploymentFields> {}

const columns: readonly Column<Deployment>[] = [
  nameColumn,
  {
    name: 'Ready',
    description: 'How many pods can serve, of how many there are to be.',
    read: ({ spec, status }) => `${status?.availableReplicas ?? 0}/${spec.replicas ?? 0}`,
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
    {
      apiVersion: 'extensions/v1beta1',
      kind: 'Deployment',
      description: 'Runs equal pods and replaces them step by step.',
    },
    deploymentFields,
    { complete: completeLabels },
  ),
  columns,
  scale: scaleRule,
  prepareForCreate(deployment) {
    deployment.status = {};
  },
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
