import { list, object, quantities, string, time, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { metricsColumns } from './metrics-columns.ts';
import { metricsApiVersion, metricsGroup, metricsVersion } from './metrics-group.ts';

const containerMetricsFields = {
  name: string('Name of the container.').mandatory(),
  usage: quantities('How much of each resource the container uses.').mandatory(),
};
export interface ContainerMetrics extends FieldsOf<typeof containerMetricsFields> {}
const containerMetrics: ObjectSchema<ContainerMetrics> = object(
  'v1beta1.ContainerMetrics',
  'How much a container uses.',
  containerMetricsFields,
);

const podMetricsFields = {
  timestamp: time('When the usage was measured.').mandatory(),
  window: string('The span of time before that over which processor time is averaged.').mandatory(),
  containers: list(containerMetrics, 'How much each container uses.').mandatory(),
};
export interface PodMetrics extends ApiObject, FieldsOf<typeof podMetricsFields> {}

/** How much a pod uses. Worked out when it is read and never stored. */
export const podMetrics: Kind<PodMetrics> = defineKind<PodMetrics>({
  group: metricsGroup,
  version: metricsVersion,
  kind: 'PodMetrics',
  resource: 'pods',
  // `pod` means the pod itself.
  singular: '',
  namespaced: true,
  nameFormat: dnsSubdomain,
  verbs: ['get', 'list'],
  columns: metricsColumns(({ containers }) => containers.map(({ usage }) => usage)),
  schema: kindSchema(
    { apiVersion: metricsApiVersion, kind: 'PodMetrics', description: 'How much a pod uses.' },
    podMetricsFields,
  ),
  example: {
    kind: 'PodMetrics',
    apiVersion: metricsApiVersion,
    metadata: { name: 'web', namespace: 'default' },
    timestamp: '2030-01-01T00:00:00Z',
    window: '10s',
    containers: [{ name: 'main', usage: { cpu: '250m', memory: '64Mi' } }],
  },
});
