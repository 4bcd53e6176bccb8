import { listed, type Column } from '../column.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import type { PodTemplateSpec } from './pod-template-spec.ts';

interface Templated extends ApiObject {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

interface Replicated extends ApiObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

/** How many pods there are to be, how many there are, and how many of those are ready. */
export const replicaColumns: readonly Column<Replicated>[] = [
  {
    name: 'Desired',
    description: 'How many pods there are to be.',
    type: 'integer',
    read: ({ spec }) => spec?.replicas ?? 0,
  },
  {
    name: 'Current',
    description: 'How many pods there are.',
    type: 'integer',
    read: ({ status }) => status?.replicas ?? 0,
  },
  {
    name: 'Ready',
    description: 'How many pods are ready.',
    type: 'integer',
    read: ({ status }) => status?.readyReplicas ?? 0,
  },
];

/** What runs in the pods that an object makes: two columns that all workloads end with. */
export const templateColumns: readonly [Column<Templated>, Column<Templated>] = [
  {
    name: 'Containers',
    description: 'Names of the containers in the pods.',
    wide: true,
    read: ({ spec }) => listed(containerNames(spec?.template)),
  },
  {
    name: 'Images',
    description: 'Images of the containers in the pods.',
    wide: true,
    read: ({ spec }) => listed(containerImages(spec?.template)),
  },
];

export function containerNames(template: PodTemplateSpec | undefined): string[] {
  return (template?.spec?.containers ?? []).map(({ name }) => name);
}

export function containerImages(template: PodTemplateSpec | undefined): string[] {
  return (template?.spec?.containers ?? []).map(({ image }) => image ?? '');
}
