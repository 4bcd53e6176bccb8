import { list, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { ageColumn, nameColumn, none, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { endpointSubset, type EndpointSubset } from './endpoint-subset.ts';
import { validateHostNames } from './host-names-annotation.ts';
import { repackSubsets } from './repack-subsets.ts';

const endpointsFields = {
  subsets: list(endpointSubset, 'Addresses with their ports; together they are all that answers.')
    .mandatory()
    .always([]),
};
export interface Endpoints extends ApiObject, FieldsOf<typeof endpointsFields> {}

const shownEndpoints = 3;

/** The first addresses with their ports, and how many more there are. */
function addressList(endpoints: Endpoints): string {
  const subsets = endpoints.subsets ?? [];
  const shown: string[] = [];
  for (const text of addressTexts(subsets)) {
    if (shown.push(text) === shownEndpoints) break;
  }
  let more = -shown.length;
  for (const { addresses = [], ports = [] } of subsets) more += addresses.length * Math.max(1, ports.length);
  return more > 0 ? `${shown.join(',')} + ${more} more...` : shown.join(',') || none;
}

function* addressTexts(subsets: readonly EndpointSubset[]): Iterable<string> {
  for (const { addresses = [], ports = [] } of subsets) {
    if (ports.length === 0) for (const { ip } of addresses) yield ip;
    for (const { port } of ports) {
      for (const { ip } of addresses) yield `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
    }
  }
}

const endpointsColumn: Column<Endpoints> = {
  name: 'Endpoints',
  description: 'Addresses and ports that answer.',
  read: addressList,
};

export const endpoints: Kind<Endpoints> = defineKind<Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  resource: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'Endpoints', description: 'The addresses and ports that answer for a service.' },
    endpointsFields,
    { validate: ({ metadata }, _path, errors) => validateHostNames(metadata, errors) },
  ),
  createsOnUpdate: true,
  columns: [nameColumn, endpointsColumn, ageColumn],
  example: {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    subsets: [{ addresses: [{ ip: '10.10.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }],
  },
  canonicalize(endpoints) {
    endpoints.subsets = repackSubsets(endpoints.subsets);
  },
});
