import { quantities, string, time, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { metricsColumns } from './metrics-columns.ts';
import { metricsApiVersion, metricsGroup, metricsVersion } from './metrics-group.ts';

const nodeMetricsFields = {
  timestamp: time('When the usage was measured.').mandatory(),
  window: string('The span of time before that over which processor time is averaged.').mandatory(),
  usage: quantities('How much of each resource is in use on the whole machine.').mandatory(),
};
export interface NodeMetrics extends ApiObject, FieldsOf<typeof nodeMetricsFields> {}

/** How much a node uses. Worked out when it is read and never stored. */
export const nodeMetrics: Kind<NodeMetrics> = defineKind<NodeMetrics>({
  group: metricsGroup,
  version: metricsVersion,
  kind: 'NodeMetrics',
  resource: 'nodes',
  // `node` means the node itself.
  singular: '',
  namespaced: false,
  nameFormat: dnsSubdomain,
  verbs: ['get', 'list'],
  columns: metricsColumns(({ usage }) => [usage]),
  schema: kindSchema(
    { apiVersion: metricsApiVersion, kind: 'NodeMetrics', description: 'How much a node uses.' },
    nodeMetricsFields,
  ),
  example: {
    kind: 'NodeMetrics',
    apiVersion: metricsApiVersion,
    metadata: { name: 'machine-1' },
    timestamp: '2030-01-01T00:00:00Z',
    window: '10s',
    usage: { cpu: '250m', memory: '1Gi' },
  },
});
