import { object, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { serviceName } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { allVerbs, defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { loadBalancerStatus } from './load-balancer-status.ts';
import { serviceColumns } from './service-columns.ts';
import { headless, serviceSpec } from './service-spec.ts';
import { validateSourceRanges } from './source-ranges-annotation.ts';

const serviceStatusFields = {
  loadBalancer: one(loadBalancerStatus, 'How the load balancer is reached, once there is one.').defaultsTo({}),
};
export interface ServiceStatus extends FieldsOf<typeof serviceStatusFields> {}
const serviceStatus: ObjectSchema<ServiceStatus> = object(
  'v1.ServiceStatus',
  'What was set up for a service.',
  serviceStatusFields,
);

const serviceFields = {
  spec: one(serviceSpec, 'What the service offers.').defaultsTo({ ports: [] }),
  status: one(serviceStatus, 'What was set up for the service.').defaultsTo({}),
};
export interface Service extends ApiObject, FieldsOf<typeof serviceFields> {}

function resetStatus(service: Service): void {
  service.status = { loadBalancer: {} };
}

/** Clients keep an address for as long as the service lives; one without an address may still get one. */
function validateServiceUpdate(service: Service, old: Service, errors: FieldErrors): void {
  const oldAddress = old.spec?.clusterIP ?? '';
  if (oldAddress === '' || oldAddress === headless || service.spec?.clusterIP === oldAddress) return;
  errors.invalid(Path.of('spec', 'clusterIP'), service.spec?.clusterIP, `must stay ${oldAddress}`);
}

/** Addresses and node ports belong to this cluster; another one chooses its own. The reference leaves those of load balancers. */
function prepareForExport(service: Service, exact: boolean): void {
  resetStatus(service);
  if (exact || !service.spec) return;
  if (service.spec.clusterIP !== headless) service.spec.clusterIP = '<unknown>';
  if (service.spec.type !== 'NodePort') return;
  for (const port of service.spec.ports) delete port.nodePort;
}

export const service: Kind<Service> = defineKind<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  resource: 'services',
  shortNames: ['svc'],
  namespaced: true,
  nameFormat: serviceName,
  verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'Service', description: 'A name and address for a set of pods.' },
    serviceFields,
    { validate: ({ metadata }, _path, errors) => validateSourceRanges(metadata, errors) },
  ),
  hasStatus: true,
  requiresVersionOnUpdate: true,
  columns: serviceColumns,
  example: {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    spec: { ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }], type: 'ClusterIP', sessionAffinity: 'None' },
    status: { loadBalancer: {} },
  },
  prepareForCreate: resetStatus,
  validateUpdate: validateServiceUpdate,
  prepareForExport,
});
