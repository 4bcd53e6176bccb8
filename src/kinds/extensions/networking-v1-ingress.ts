import { integer, list, object, one, string, type FieldsOf } from '../../schema/builders.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import {
  httpIngressPathFields,
  ingressRuleFields,
  ingressSpec,
  ingressSpecFields,
  ingressTls,
  usualPathType,
  type HTTPIngressPath,
  type IngressBackend,
  type IngressRule,
  type IngressSpec,
} from './ingress-spec.ts';

const portFields = {
  name: string('Name of the port.'),
  number: integer('Number of the port.'),
};
interface ServiceBackendPort extends FieldsOf<typeof portFields> {}
const serviceBackendPort: ObjectSchema<ServiceBackendPort> = object(
  'v1.ServiceBackendPort',
  'A port of a service, by name or by number.',
  portFields,
);

const serviceFields = {
  name: string('Service that gets the requests.').mandatory(),
  port: one(serviceBackendPort, 'Port of the service.').defaultsTo({}),
};
interface IngressServiceBackend extends FieldsOf<typeof serviceFields> {}
const ingressServiceBackend: ObjectSchema<IngressServiceBackend> = object(
  'v1.IngressServiceBackend',
  'A service and one of its ports.',
  serviceFields,
);

const backendFields = {
  service: one(ingressServiceBackend, 'The service that requests go to.').defaultsTo({} as IngressServiceBackend),
};
interface V1Backend extends FieldsOf<typeof backendFields> {}
const v1Backend: ObjectSchema<V1Backend> = object('v1.IngressBackend', 'Where requests go.', backendFields);

const pathFields = {
  path: httpIngressPathFields.path,
  pathType: httpIngressPathFields.pathType.mandatory().defaultsTo(usualPathType),
  backend: one(v1Backend, httpIngressPathFields.backend.description).mandatory().defaultsTo({}),
};
interface V1Path extends FieldsOf<typeof pathFields> {}
const v1Path: ObjectSchema<V1Path> = object(
  'v1.HTTPIngressPath',
  'Requests with a certain path, and where they go.',
  pathFields,
);

const ruleValueFields = { paths: list(v1Path, 'Paths and where their requests go.').mandatory() };
interface V1RuleValue extends FieldsOf<typeof ruleValueFields> {}
const v1RuleValue: ObjectSchema<V1RuleValue> = object(
  'v1.HTTPIngressRuleValue',
  'Where HTTP requests go.',
  ruleValueFields,
);

const ruleFields = { host: ingressRuleFields.host, http: one(v1RuleValue, ingressRuleFields.http.description) };
interface V1Rule extends FieldsOf<typeof ruleFields> {}
const v1Rule: ObjectSchema<V1Rule> = object(
  'v1.IngressRule',
  'Requests for a certain host, and where they go.',
  ruleFields,
);

const specFields = {
  ingressClassName: ingressSpecFields.ingressClassName,
  defaultBackend: one(v1Backend, ingressSpecFields.backend.description),
  tls: list(renameTypes(ingressTls, 'v1beta1', 'v1'), ingressSpecFields.tls.description),
  rules: list(v1Rule, ingressSpecFields.rules.description),
};
export interface V1IngressSpec extends FieldsOf<typeof specFields> {}
/** The spec of networking.k8s.io/v1, which has more to say about backends. */
export const v1IngressSpec: ObjectSchema<V1IngressSpec> = object('v1.IngressSpec', ingressSpec.description, specFields);

/** Where this version has the fields of backends. */
export const v1Backends: Readonly<Record<string, string>> = {
  'spec.backend': 'spec.defaultBackend',
  'spec.backend.serviceName': 'spec.defaultBackend.service.name',
  'spec.backend.servicePort': 'spec.defaultBackend.service.port',
  'spec.rules.http.paths.backend.serviceName': 'spec.rules.http.paths.backend.service.name',
  'spec.rules.http.paths.backend.servicePort': 'spec.rules.http.paths.backend.service.port',
};

export function toV1Spec({ backend, rules, ...spec }: IngressSpec): V1IngressSpec {
  return {
    ...spec,
    ...(backend && { defaultBackend: toV1Backend(backend) }),
    ...(rules && { rules: rules.map(toV1Rule) }),
  };
}

function toV1Rule({ http, ...rule }: IngressRule): V1Rule {
  if (!http) return rule;
  const paths = http.paths?.map(({ backend, pathType = usualPathType, ...path }) => ({
    ...path,
    pathType,
    backend: toV1Backend(backend),
  }));
  return { ...rule, http: paths ? { paths } : ({} as V1RuleValue) };
}

function toV1Backend({ serviceName, servicePort }: IngressBackend): V1Backend {
  const name = serviceName === undefined ? {} : { name: serviceName };
  return { service: { ...name, port: toV1Port(servicePort) } as IngressServiceBackend };
}

export function fromV1Spec({ defaultBackend, rules, ...spec }: V1IngressSpec): IngressSpec {
  return {
    ...spec,
    ...(defaultBackend && { backend: fromV1Backend(defaultBackend) }),
    ...(rules && { rules: rules.map(fromV1Rule) }),
  };
}

function fromV1Rule({ http, ...rule }: V1Rule): IngressRule {
  if (!http) return rule;
  const paths = http.paths?.map(fromV1Path);
  return { ...rule, http: (paths ? { paths } : {}) as IngressRule['http'] };
}

function fromV1Path({ backend, pathType, ...path }: V1Path): HTTPIngressPath {
  const type = pathType === usualPathType ? {} : { pathType };
  return { ...path, ...type, backend: fromV1Backend(backend) };
}

function fromV1Backend({ service }: V1Backend): IngressBackend {
  const name = service?.name === undefined ? {} : { serviceName: service.name };
  return { ...name, servicePort: fromV1Port(service?.port ?? {}) } as IngressBackend;
}

/** A port with both a name and a number has no meaning. As such a text it is refused, and shown as it was written. */
const between = '\0number\0';

function toV1Port(port: number | string): ServiceBackendPort {
  if (typeof port === 'number') return port === 0 ? {} : { number: port };
  const [name, number] = port.split(between);
  return number === undefined ? { name: port } : { name, number: Number(number) };
}

function fromV1Port({ name, number }: ServiceBackendPort): number | string {
  if (name === undefined) return number ?? 0;
  return number === undefined ? name : name + between + String(number);
}
