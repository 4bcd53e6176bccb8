import { one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { balancerAddresses } from '../core/load-balancer-status.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { ingressSpec, ingressStatus } from './ingress-spec.ts';
import { fromV1Spec, toV1Spec, v1Backends, v1IngressSpec, type V1IngressSpec } from './networking-v1-ingress.ts';
import { renameTypes } from '../../schema/rename-types.ts';

const ingressFields = {
  spec: one(ingressSpec, 'Which requests go where.').mandatory().defaultsTo({}),
  status: one(ingressStatus, 'How the ingress is reached.').defaultsTo({}),
};
export interface Ingress extends ApiObject, FieldsOf<typeof ingressFields> {}

const description = 'Leads requests from outside to services.';

const v1Fields = {
  spec: one(v1IngressSpec, ingressFields.spec.description).mandatory().defaultsTo({}),
  status: one(renameTypes(ingressStatus, 'v1beta1', 'v1'), ingressFields.status.description).defaultsTo({}),
};
interface V1Ingress extends ApiObject, FieldsOf<typeof v1Fields> {
  spec: V1IngressSpec;
}

/** The group that later clients look in. */
const networkingV1: OtherVersion<Ingress, V1Ingress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  schema: kindSchema({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', description }, v1Fields),
  renamedFields: v1Backends,
  toStored: (ingress) => ({ ...ingress, spec: fromV1Spec(ingress.spec) }),
  fromStored: (ingress) => ({ ...ingress, spec: toV1Spec(ingress.spec) }),
};

/** Its first version has the same fields as what is stored. */
const networkingV1beta1: OtherVersion<Ingress, Ingress> = {
  group: 'networking.k8s.io',
  version: 'v1beta1',
  schema: kindSchema({ apiVersion: 'networking.k8s.io/v1beta1', kind: 'Ingress', description }, ingressFields),
  renamedFields: {},
  toStored: (ingress) => ({ ...ingress }),
  fromStored: (ingress) => ({ ...ingress }),
};

const shownHosts = 3;

function hosts({ spec }: Ingress): string {
  const named = (spec.rules ?? []).map(({ host = '' }) => host).filter(Boolean);
  if (named.length === 0) return '*';
  const more = named.length - shownHosts;
  const shown = named.slice(0, shownHosts).join(',');
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

const columns: readonly Column<Ingress>[] = [
  nameColumn,
  { name: 'Hosts', description: 'Host names that requests are for.', read: hosts },
  {
    name: 'Address',
    description: 'How the ingress is reached.',
    read: ({ status }) => balancerAddresses(status?.loadBalancer).join(','),
  },
  {
    name: 'Ports',
    description: 'Ports of the ingress.',
    read: ({ spec }) => (spec.tls?.length ? '80, 443' : '80'),
  },
  ageColumn,
];

function resetStatus(ingress: Ingress): void {
  ingress.status = { loadBalancer: {} };
}

export const ingress: Kind<Ingress> = defineKind<Ingress>({
  group: 'extensions',
  version: 'v1beta1',
  kind: 'Ingress',
  resource: 'ingresses',
  shortNames: ['ing'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  hasStatus: true,
  countsGenerations: true,
  schema: kindSchema({ apiVersion: 'extensions/v1beta1', kind: 'Ingress', description }, ingressFields),
  otherVersions: [networkingV1, networkingV1beta1],
  columns,
  prepareForCreate: resetStatus,
  prepareForExport: resetStatus,
  example: {
    kind: 'Ingress',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'site' },
    spec: { backend: { serviceName: 'web', servicePort: 80 } },
  },
});
