import { intOrString, list, object, one, oneOf, string, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain, portName, serviceName } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { isIpAddress } from '../core/ip-address.ts';
import { loadBalancerStatus } from '../core/load-balancer-status.ts';
import { isPortNumber } from '../core/ports.ts';
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

const pathTypes = ['Exact', 'Prefix', 'ImplementationSpecific'] as const;
/** How a path is compared when nothing is said. It is not stored. */
export const usualPathType = 'ImplementationSpecific';

export const httpIngressPathFields = {
  path: string('Regular expression that the path of a request must match; every path when absent.'),
  pathType: oneOf(pathTypes, 'How the path is compared; as whoever serves the ingress likes when absent.'),
  backend: one(ingressBackend, 'Where the requests go.')
    .mandatory()
    .defaultsTo({} as IngressBackend),
};
export interface HTTPIngressPath extends FieldsOf<typeof httpIngressPathFields> {}
const httpIngressPath: ObjectSchema<HTTPIngressPath> = object(
  'v1beta1.HTTPIngressPath',
  'Requests with a certain path, and where they go.',
  httpIngressPathFields,
  { complete: completePath, validate: validatePath },
);

function completePath(rule: HTTPIngressPath): void {
  if (rule.pathType === usualPathType) delete rule.pathType;
}

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

export const ingressRuleFields = {
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
  secretName: string('Secret with the certificate and its key; whoever serves the ingress has one when absent.'),
};
export interface IngressTLS extends FieldsOf<typeof ingressTlsFields> {}
export const ingressTls: ObjectSchema<IngressTLS> = object(
  'v1beta1.IngressTLS',
  'A certificate and the hosts it is for.',
  ingressTlsFields,
);

export const ingressSpecFields = {
  ingressClassName: string('Which of those who serve ingresses this one is for.', dnsSubdomain),
  backend: one(ingressBackend, 'Where requests go that no rule is about.'),
  tls: list(ingressTls, 'Certificates; without any, requests are taken in the clear.'),
  rules: list(ingressRule, 'Which requests go where.'),
};
export interface IngressSpec extends FieldsOf<typeof ingressSpecFields> {}
export const ingressSpec: ObjectSchema<IngressSpec> = object(
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
export const ingressStatus: ObjectSchema<IngressStatus> = object(
  'v1beta1.IngressStatus',
  'How the ingress is reached.',
  ingressStatusFields,
);
