import { intOrString, list, object, one, string, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain, portName, serviceName } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { isIpAddress } from '../core/ip-address.ts';
import { balancerAddresses, loadBalancerStatus } from '../core/load-balancer-status.ts';
import { isPortNumber } from '../core/ports.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind, type OtherVersion } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { isPathPattern } from './path-pattern.ts';

const ingressBackendFields = {
  serviceName: string('Service that gets the requests.', serviceName).mandatory(),
  servicePort: intOrString('Port of the service, by number or by name.').mandatory().always(0),
};
export interface IngressBackend extends FieldsOf<typeof ingressBackendFields> {}
const ingressBackend: ObjectSchema<IngressBackend> = object(
  'v1beta1.IngressBackend',
  'Where requests go.',
  ingressBackendFields,
  { validate: validateBackend },
);

function validateBackend(backend: IngressBackend, path: Path, errors: FieldErrors): void {
  // Without a service there is no port to speak of.
  if (backend.serviceName === undefined) return;
  const port = backend.servicePort;
  if (typeof port === 'string') {
    const wrong = portName.check(port);
    if (wrong) errors.invalid(path.at('servicePort'), port, wrong);
  } else if (!isPortNumber(port)) {
    errors.invalid(path.at('servicePort'), port, 'must be between 1 and 65535');
  }
}

const httpIngressPathFields = {
  path: string('Regular expression that the path of a request must match; every path when absent.'),
  backend: one(ingressBackend, 'Where the requests go.')
    .mandatory()
    .defaultsTo({} as IngressBackend),
};
export interface HTTPIngressPath extends FieldsOf<typeof httpIngressPathFields> {}
const httpIngressPath: ObjectSchema<HTTPIngressPath> = object(
  'v1beta1.HTTPIngressPath',
  'Requests with a certain path, and where they go.',
  httpIngressPathFields,
  { validate: validatePath },
);

function validatePath(rule: HTTPIngressPath, path: Path, errors: FieldErrors): void {
  if (rule.path === undefined) return;
  if (!rule.path.startsWith('/')) errors.invalid(path.at('path'), rule.path, 'must begin with "/"');
  if (!isPathPattern(rule.path)) errors.invalid(path.at('path'), rule.path, 'is no regular expression of POSIX');
}

const httpIngressRuleValueFields = {
  paths: list(httpIngressPath, 'Paths and where their requests go.').mandatory(),
};
export interface HTTPIngressRuleValue extends FieldsOf<typeof httpIngressRuleValueFields> {}
const httpIngressRuleValue: ObjectSchema<HTTPIngressRuleValue> = object(
  'v1beta1.HTTPIngressRuleValue',
  'Where HTTP requests go.',
  httpIngressRuleValueFields,
);

const ingressRuleFields = {
  host: string('Host name that requests must be for; every host when absent.', dnsSubdomain),
  http: one(httpIngressRuleValue, 'Where the requests go; to the default backend when absent.'),
};
export interface IngressRule extends FieldsOf<typeof ingressRuleFields> {}
const ingressRule: ObjectSchema<IngressRule> = object(
  'v1beta1.IngressRule',
  'Requests for a certain host, and where they go.',
  ingressRuleFields,
  { validate: validateHost },
);

function validateHost({ host }: IngressRule, path: Path, errors: FieldErrors): void {
  if (host && isIpAddress(host)) errors.invalid(path.at('host'), host, 'must be a name, not an address');
}

const ingressTlsFields = {
  hosts: strings('Host names that the certificate is for.'),
  secretName: string('Secret with the certificate and its key.').mandatory(),
};
export interface IngressTLS extends FieldsOf<typeof ingressTlsFields> {}
const ingressTls: ObjectSchema<IngressTLS> = object(
  'v1beta1.IngressTLS',
  'A certificate and the hosts it is for.',
  ingressTlsFields,
);

const ingressSpecFields = {
  backend: one(ingressBackend, 'Where requests go that no rule is about.'),
  tls: list(ingressTls, 'Certificates; without any, requests are taken in the clear.'),
  rules: list(ingressRule, 'Which requests go where.'),
};
export interface IngressSpec extends FieldsOf<typeof ingressSpecFields> {}
const ingressSpec: ObjectSchema<IngressSpec> = object(
  'v1beta1.IngressSpec',
  'Which requests go where.',
  ingressSpecFields,
  { validate: validateIngressSpec },
);

function validateIngressSpec(spec: IngressSpec, path: Path, errors: FieldErrors): void {
  if (!spec.backend && !spec.rules) errors.invalid(path, spec, 'give a backend, or rules');
}

const ingressStatusFields = {
  loadBalancer: one(loadBalancerStatus, 'How the ingress is reached.').defaultsTo({}),
};
export interface IngressStatus extends FieldsOf<typeof ingressStatusFields> {}
const ingressStatus: ObjectSchema<IngressStatus> = object(
  'v1beta1.IngressStatus',
  'How the ingress is reached.',
  ingressStatusFields,
);

const ingressFields = {
  spec: one(ingressSpec, 'Which requests go where.').mandatory().defaultsTo({}),
  status: one(ingressStatus, 'How the ingress is reached.').defaultsTo({}),
};
export interface Ingress extends ApiObject, FieldsOf<typeof ingressFields> {}

const description = 'Leads requests from outside to services.';

/** The group that later clients look in; its first version has the same fields. */
const networking: OtherVersion<Ingress, Ingress> = {
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
  otherVersions: [networking],
  columns,
  prepareForCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  example: {
    kind: 'Ingress',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'site' },
    spec: { backend: { serviceName: 'web', servicePort: 80 } },
  },
});
