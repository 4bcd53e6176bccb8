import { one, type FieldsOf } from '../../schema/builders.ts';
import { equal } from '../../schema/equal.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { validatePodAnnotations } from './pod/pod-annotations.ts';
import { podColumns } from './pod/pod-columns.ts';
import { podSpec, type PodSpec } from './pod/pod-spec.ts';
import { podStatus } from './pod/pod-status.ts';

const podFields = {
  spec: one(podSpec, 'What the pod is to be.')
    .mandatory()
    .defaultsTo({} as PodSpec),
  status: one(podStatus, 'How the pod fares.').mandatory().defaultsTo({}),
};
export interface Pod extends ApiObject, FieldsOf<typeof podFields> {}

/** A container that has a limit asks for as much, unless it says otherwise. Templates do not; pods made from them do. */
function completeRequests({ spec }: Pod): void {
  for (const { resources } of spec.containers ?? []) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
  }
}

/** For whoever asks for a pod; nodes that write its status and schedulers that bind it are not held to this. */
function validateAnnotations({ metadata }: Pod, errors: FieldErrors): void {
  validatePodAnnotations(metadata.annotations ?? {}, Path.of('metadata', 'annotations'), errors);
}

function validatePodUpdate(pod: Pod, old: Pod, errors: FieldErrors): void {
  validateAnnotations(pod, errors);
  validateSpecUpdate(pod.spec, old.spec, errors);
}

/** Of a pod's spec only the images can be changed, and the deadline be set or brought forward. */
function validateSpecUpdate(spec: PodSpec, old: PodSpec, errors: FieldErrors): void {
  const containers = spec.containers ?? [];
  if (containers.length !== old.containers.length) {
    errors.forbidden(Path.of('spec', 'containers'), 'containers can be neither added to a pod nor taken away');
    return;
  }
  if (isLater(spec.activeDeadlineSeconds, old.activeDeadlineSeconds, errors)) return;
  const unchanged: PodSpec = {
    ...spec,
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    containers: containers.map((container, i) => ({ ...container, image: old.containers[i]?.image ?? '' })),
  };
  if (!equal(podSpec, unchanged, old)) {
    errors.forbidden(Path.of('spec'), 'of a pod only containers[*].image and activeDeadlineSeconds can be changed');
  }
}

/** Reports a deadline that was put off or taken away. Where it is put off, or no time at all, the reference looks no further. */
function isLater(deadline: number | undefined, old: number | undefined, errors: FieldErrors): boolean {
  const path = Path.of('spec', 'activeDeadlineSeconds');
  if (deadline === undefined) {
    if (old !== undefined) errors.invalid(path, null, 'cannot be taken away');
    return false;
  }
  if (old !== undefined && deadline > old) {
    errors.invalid(path, deadline, `must not be later than before, which is ${old}`);
    return true;
  }
  return deadline < 0;
}

/** A pod that no node has, or that ended, needs no time to end. */
function gracePeriod({ spec, status }: Pod, asked: number | undefined): number {
  if (!spec.nodeName || status.phase === 'Failed' || status.phase === 'Succeeded') return 0;
  return Math.max(0, asked ?? spec.terminationGracePeriodSeconds ?? 0);
}

function resetStatus(pod: Pod): void {
  pod.status = { phase: 'Pending' };
}

export const pod: Kind<Pod> = defineKind<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  resource: 'pods',
  shortNames: ['po'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  deleteAnswersObject: true,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'Pod', description: 'Containers that run together on one node.' },
    podFields,
    { complete: completeRequests },
  ),
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    // The name that old clients have for it.
    'spec.host': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => status.podIP ?? '',
  },
  columns: podColumns,
  prepareForCreate: resetStatus,
  // Nodes write the status of what they were told about; when the pod is to be gone is not for them to say.
  prepareForStatusUpdate: ({ metadata }, old) => {
    metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  },
  prepareForExport: resetStatus,
  validateCreate: validateAnnotations,
  validateUpdate: validatePodUpdate,
  gracePeriod,
  example: {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'nginx:1.9' }] },
    status: { phase: 'Pending' },
  },
});
