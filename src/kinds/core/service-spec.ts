import { list, object, oneOf, string, stringMap, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsLabel } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { validateLabels } from '../meta/object-meta.ts';
import { isIpAddress, validateReachableAddress } from './ip-address.ts';
import { servicePort, type ServicePort } from './service-port.ts';

/** Stands in clusterIP for a service that is to have no address of its own. */
export const headless = 'None';

const serviceSpecFields = {
  ports: list(servicePort, 'Ports of the service; at least one, unless it has no address.')
    .mandatory()
    .always([])
    .mergeBy('port'),
  selector: stringMap('Labels of the pods that answer; without any, someone else writes the endpoints.'),
  clusterIP: string('Address of the service in the cluster, chosen by the server unless given; None for no address.'),
  type: oneOf(['ClusterIP', 'NodePort', 'LoadBalancer'], 'From where the service can be reached.').defaultsTo(
    'ClusterIP',
  ),
  externalIPs: strings('Further addresses for which nodes take traffic; someone else brings it there.'),
  deprecatedPublicIPs: strings('Old name of externalIPs; goes before it when both are given.'),
  sessionAffinity: oneOf(['ClientIP', 'None'], 'Whether a client is always sent to the same pod.').defaultsTo('None'),
  loadBalancerIP: string('Address that the load balancer is to have, where the provider lets one choose.'),
};
export interface ServiceSpec extends FieldsOf<typeof serviceSpecFields> {}
export const serviceSpec: ObjectSchema<ServiceSpec> = object(
  'v1.ServiceSpec',
  'What a service offers and who answers.',
  serviceSpecFields,
  { complete: completeSpec, validate: validateSpec },
);

/** Both names of the external addresses always say the same. */
function completeSpec(spec: ServiceSpec): void {
  const addresses = spec.deprecatedPublicIPs ?? spec.externalIPs;
  if (!addresses) return;
  spec.externalIPs = [...addresses];
  spec.deprecatedPublicIPs = [...addresses];
}

function validateSpec(spec: ServiceSpec, path: Path, errors: FieldErrors): void {
  const { ports, clusterIP = '', externalIPs = [] } = spec;
  const portsPath = path.at('ports');
  if (ports.length === 0 && clusterIP !== headless) errors.required(portsPath);
  validatePortNames(ports, portsPath, errors);
  validateNodePorts(ports, portsPath, errors);
  if (spec.type === 'ClusterIP') refuseNodePorts(ports, portsPath, errors);
  if (spec.type === 'LoadBalancer') validateBalancedPorts(ports, portsPath, errors);
  if (spec.selector) validateLabels(spec.selector, path.at('selector'), errors);
  if (clusterIP !== '' && clusterIP !== headless && !isIpAddress(clusterIP)) {
    errors.invalid(path.at('clusterIP'), clusterIP, `must be empty, "${headless}" or an IP address`);
  }
  externalIPs.forEach((ip, i) => validateReachableAddress(ip, path.at('externalIPs').index(i), errors));
}

function validatePortNames(ports: readonly ServicePort[], path: Path, errors: FieldErrors): void {
  const seen = new Set<string>();
  ports.forEach(({ name }, i) => {
    const where = path.index(i).at('name');
    if (!name) {
      if (ports.length > 1) errors.required(where, 'several ports need names');
      return;
    }
    if (seen.has(name)) errors.duplicate(where, name);
    // That a name is none is said already.
    else if (dnsLabel.check(name) === undefined) seen.add(name);
  });
}

/** A node can pass one number on for TCP and for UDP, but only once for each. */
function validateNodePorts(ports: readonly ServicePort[], path: Path, errors: FieldErrors): void {
  const seen = new Set<string>();
  ports.forEach(({ protocol, nodePort }, i) => {
    if (!nodePort) return;
    const key = `${protocol} ${nodePort}`;
    if (seen.has(key)) errors.duplicate(path.index(i).at('nodePort'), nodePort);
    seen.add(key);
  });
}

function refuseNodePorts(ports: readonly ServicePort[], path: Path, errors: FieldErrors): void {
  ports.forEach(({ nodePort }, i) => {
    if (nodePort)
      errors.invalid(path.index(i).at('nodePort'), nodePort, 'a service of type ClusterIP has no node ports');
  });
}

const kubeletPort = 10250;

function validateBalancedPorts(ports: readonly ServicePort[], path: Path, errors: FieldErrors): void {
  const protocols = new Set(ports.map(({ protocol }) => protocol));
  if (protocols.has('TCP') && protocols.has('UDP')) {
    errors.invalid(path, [...protocols], 'a load balancer takes either TCP or UDP');
  }
  ports.forEach(({ port, protocol }, i) => {
    if (protocol !== 'TCP' && protocol !== 'UDP')
      errors.invalid(path.index(i).at('protocol'), protocol, 'a load balancer takes TCP or UDP');
    if (port === kubeletPort)
      errors.invalid(path.index(i), port, 'would open the port of the node agents to the outside');
  });
}
