import { list, object, one, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsLabel } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { asIpv4, isLoopbackPodAddress, validateReachableAddress } from './ip-address.ts';
import { objectReference } from './object-reference.ts';
import { protocolField, requiredPort } from './ports.ts';

const endpointAddressFields = {
  ip: string('IPv4 address of the endpoint.').mandatory().always(''),
  targetRef: one(objectReference, 'What stands behind the address, mostly a pod.'),
};
export interface EndpointAddress extends FieldsOf<typeof endpointAddressFields> {}
const endpointAddress: ObjectSchema<EndpointAddress> = object(
  'v1.EndpointAddress',
  'One address that answers for a service.',
  endpointAddressFields,
);

function validateReadyAddress({ ip }: EndpointAddress, path: Path, errors: FieldErrors): void {
  const dotted = asIpv4(ip);
  if (isLoopbackPodAddress(ip)) return;
  if (dotted) validateReachableAddress(dotted, path.at('ip'), errors);
  else errors.invalid(path.at('ip'), ip, 'must be an IPv4 address');
}

const endpointPortFields = {
  name: string('Name of the port, as in the service; may be left out when there is only one.', dnsLabel),
  port: requiredPort('Number of the port.'),
  protocol: protocolField(),
};
export interface EndpointPort extends FieldsOf<typeof endpointPortFields> {}
const endpointPort: ObjectSchema<EndpointPort> = object(
  'v1.EndpointPort',
  'One port that answers for a service.',
  endpointPortFields,
);

const endpointSubsetFields = {
  addresses: list(endpointAddress, 'Addresses that are ready for traffic.'),
  notReadyAddresses: list(endpointAddress, 'Addresses that are not ready yet, or no longer.'),
  ports: list(endpointPort, 'Ports that each of the addresses answers on.'),
};
export interface EndpointSubset extends FieldsOf<typeof endpointSubsetFields> {}
export const endpointSubset: ObjectSchema<EndpointSubset> = object(
  'v1.EndpointSubset',
  'Addresses that have the same ports: every address goes with every port.',
  endpointSubsetFields,
  { validate: validateEndpointSubset },
);

function validateEndpointSubset(subset: EndpointSubset, path: Path, errors: FieldErrors): void {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length + notReadyAddresses.length === 0) errors.required(path, 'give addresses or notReadyAddresses');
  // Nothing is sent to addresses that are not ready; as in the reference, these can be anything.
  addresses.forEach((address, i) => validateReadyAddress(address, path.at('addresses').index(i), errors));
  if (ports.length === 0) errors.required(path.at('ports'));
  if (ports.length < 2) return;
  ports.forEach((port, i) => {
    if (!port.name) errors.required(path.at('ports').index(i).at('name'), 'several ports need names');
  });
}
