import { integer, long, object, one, string, time, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain, pathSegment } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { ageColumn, nameColumn, unknown, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { validateCustomMetrics } from './custom-metrics.ts';

const subresourceReferenceFields = {
  kind: string('Kind of the workload.', pathSegment).mandatory(),
  name: string('Name of the workload.', pathSegment).mandatory(),
  apiVersion: string('Group and version of the workload.'),
  subresource: string('Sub-resource that is written: scale.', pathSegment).mandatory(),
};
export interface SubresourceReference extends FieldsOf<typeof subresourceReferenceFields> {}
const subresourceReference: ObjectSchema<SubresourceReference> = object(
  'v1beta1.SubresourceReference',
  'A sub-resource of a workload in the same namespace.',
  subresourceReferenceFields,
  { validate: validateReference },
);

/** A reference that is wrong in itself gets no second complaint about its sub-resource. */
function validateReference(reference: SubresourceReference, path: Path, errors: FieldErrors): void {
  const { kind, name, subresource } = reference;
  const sound = [kind, name, subresource].every((part) => part !== undefined && pathSegment.check(part) === undefined);
  if (sound && subresource !== 'scale') errors.notSupported(path.at('subresource'), subresource, ['scale']);
}

const defaultTargetPercentage = 80;
const targetDescription = 'Share of the requested CPU that the pods are to use on average, in percent.';

const cpuTargetUtilizationFields = {
  targetPercentage: integer(targetDescription, { min: 1 }).mandatory().always(0),
};
export interface CPUTargetUtilization extends FieldsOf<typeof cpuTargetUtilizationFields> {}
const cpuTargetUtilization: ObjectSchema<CPUTargetUtilization> = object(
  'v1beta1.CPUTargetUtilization',
  'How busy the pods are to be.',
  cpuTargetUtilizationFields,
);

const specFields = {
  scaleRef: one(subresourceReference, 'What is scaled.')
    .mandatory()
    .defaultsTo({} as SubresourceReference),
  minReplicas: integer('Fewest pods.', { min: 1 }).keepZero().defaultsTo(1),
  maxReplicas: integer('Most pods; not fewer than minReplicas.', { min: 1 }).mandatory().always(0),
  cpuUtilization: one(cpuTargetUtilization, 'How busy the pods are to be.').defaultsTo({
    targetPercentage: defaultTargetPercentage,
  }),
};
export interface HorizontalPodAutoscalerSpec extends FieldsOf<typeof specFields> {}
const spec: ObjectSchema<HorizontalPodAutoscalerSpec> = object(
  'v1beta1.HorizontalPodAutoscalerSpec',
  'What is scaled, and within which bounds.',
  specFields,
  { validate: validateSpec },
);

function validateSpec(
  { minReplicas = 1, maxReplicas }: HorizontalPodAutoscalerSpec,
  path: Path,
  errors: FieldErrors,
): void {
  if (maxReplicas < minReplicas) {
    errors.invalid(path.at('maxReplicas'), maxReplicas, `must not be below minReplicas, which is ${minReplicas}`);
  }
}

const statusFields = {
  observedGeneration: long('Generation that this status is about.').keepZero(),
  lastScaleTime: time('When the number of pods was last changed.'),
  currentReplicas: integer('How many pods there are.', { min: 0 }).mandatory().always(0),
  desiredReplicas: integer('How many pods there are to be.', { min: 0 }).mandatory().always(0),
  currentCPUUtilizationPercentage: integer(
    'Share of the requested CPU that the pods use on average, in percent.',
  ).keepZero(),
};
export interface HorizontalPodAutoscalerStatus extends FieldsOf<typeof statusFields> {}
const status: ObjectSchema<HorizontalPodAutoscalerStatus> = object(
  'v1beta1.HorizontalPodAutoscalerStatus',
  'What was last measured and decided.',
  statusFields,
);

const initialStatus: HorizontalPodAutoscalerStatus = { currentReplicas: 0, desiredReplicas: 0 };

const description = 'Scales a workload so that its pods are as busy as they should be.';

const horizontalPodAutoscalerFields = {
  spec: one(spec, 'What is scaled, and within which bounds.')
    .mandatory()
    .defaultsTo({} as HorizontalPodAutoscalerSpec),
  status: one(status, 'What was last measured and decided.').defaultsTo(initialStatus),
};
export interface HorizontalPodAutoscaler extends ApiObject, FieldsOf<typeof horizontalPodAutoscalerFields> {}

const { subresource: _subresource, ...crossVersionReferenceFields } = subresourceReferenceFields;
interface CrossVersionObjectReference extends FieldsOf<typeof crossVersionReferenceFields> {}
const crossVersionObjectReference: ObjectSchema<CrossVersionObjectReference> = object(
  'v1.CrossVersionObjectReference',
  'A workload in the same namespace.',
  crossVersionReferenceFields,
);

const v1SpecFields = {
  scaleTargetRef: one(crossVersionObjectReference, 'What is scaled.')
    .mandatory()
    .defaultsTo({} as CrossVersionObjectReference),
  minReplicas: specFields.minReplicas,
  maxReplicas: specFields.maxReplicas,
  targetCPUUtilizationPercentage: integer(targetDescription, { min: 1 }).keepZero().defaultsTo(defaultTargetPercentage),
};
interface V1Spec extends FieldsOf<typeof v1SpecFields> {}
const v1Spec: ObjectSchema<V1Spec> = object('v1.HorizontalPodAutoscalerSpec', spec.description, v1SpecFields);

const v1Fields = {
  spec: one(v1Spec, spec.description)
    .mandatory()
    .defaultsTo({} as V1Spec),
  status: one(renameTypes(status, 'v1beta1', 'v1'), status.description).defaultsTo(initialStatus),
};
interface V1Autoscaler extends ApiObject, FieldsOf<typeof v1Fields> {}

const autoscalingV1: OtherVersion<HorizontalPodAutoscaler, V1Autoscaler> = {
  group: 'autoscaling',
  version: 'v1',
  schema: kindSchema({ apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', description }, v1Fields),
  renamedFields: {
    'spec.scaleRef': 'spec.scaleTargetRef',
    'spec.cpuUtilization': 'spec.targetCPUUtilizationPercentage',
    'spec.cpuUtilization.targetPercentage': 'spec.targetCPUUtilizationPercentage',
  },
  toStored(autoscaler) {
    const { scaleTargetRef, targetCPUUtilizationPercentage, ...spec } = autoscaler.spec;
    const target =
      targetCPUUtilizationPercentage === undefined
        ? undefined
        : { cpuUtilization: { targetPercentage: targetCPUUtilizationPercentage } };
    return { ...autoscaler, spec: { scaleRef: { ...scaleTargetRef, subresource: 'scale' }, ...spec, ...target } };
  },
  fromStored(autoscaler) {
    const { scaleRef, cpuUtilization, ...spec } = autoscaler.spec;
    const { subresource: _scale, ...scaleTargetRef } = scaleRef;
    const target = cpuUtilization && { targetCPUUtilizationPercentage: cpuUtilization.targetPercentage };
    return { ...autoscaler, spec: { scaleTargetRef, ...spec, ...target } };
  },
};

function utilization({ spec, status }: HorizontalPodAutoscaler): string {
  const current = status?.currentCPUUtilizationPercentage;
  const target = spec.cpuUtilization?.targetPercentage;
  return `${current === undefined ? unknown : `${current}%`}/${target === undefined ? unknown : `${target}%`}`;
}

const columns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  {
    name: 'Reference',
    description: 'What is scaled.',
    read: ({ spec }) => `${spec.scaleRef.kind}/${spec.scaleRef.name}`,
  },
  { name: 'Targets', description: 'How busy the pods are, and are to be.', read: utilization },
  { name: 'MinPods', description: 'Fewest pods.', type: 'integer', read: ({ spec }) => spec.minReplicas ?? 1 },
  { name: 'MaxPods', description: 'Most pods.', type: 'integer', read: ({ spec }) => spec.maxReplicas },
  {
    name: 'Replicas',
    description: 'How many pods there are.',
    type: 'integer',
    read: ({ status }) => status?.currentReplicas ?? 0,
  },
  ageColumn,
];

function resetStatus(autoscaler: HorizontalPodAutoscaler): void {
  autoscaler.status = { ...initialStatus };
}

export const horizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> = defineKind<HorizontalPodAutoscaler>({
  group: 'extensions',
  version: 'v1beta1',
  kind: 'HorizontalPodAutoscaler',
  resource: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  schema: kindSchema(
    {
      apiVersion: 'extensions/v1beta1',
      kind: 'HorizontalPodAutoscaler',
      description,
    },
    horizontalPodAutoscalerFields,
    { validate: validateCustomMetrics },
  ),
  otherVersions: [autoscalingV1],
  columns,
  prepareForCreate: resetStatus,
  prepareForExport: resetStatus,
  example: {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'web' },
    spec: { scaleRef: { kind: 'Deployment', name: 'web', subresource: 'scale' }, maxReplicas: 5 },
  },
});
