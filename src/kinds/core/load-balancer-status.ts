import { list, object, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { isIpAddress } from './ip-address.ts';

const loadBalancerIngressFields = {
  ip: string('Address of the entry point, for load balancers that are reached by address.'),
  hostname: string('Name of the entry point, for load balancers that are reached by name.'),
};
export interface LoadBalancerIngress extends FieldsOf<typeof loadBalancerIngressFields> {}
const loadBalancerIngress: ObjectSchema<LoadBalancerIngress> = object(
  'v1.LoadBalancerIngress',
  'One entry point of a load balancer; traffic sent to it reaches the service.',
  loadBalancerIngressFields,
  { validate: validateIngress },
);

function validateIngress({ ip, hostname }: LoadBalancerIngress, path: Path, errors: FieldErrors): void {
  if (ip && !isIpAddress(ip)) errors.invalid(path.at('ip'), ip, 'must be an IP address');
  if (!hostname) return;
  const wrong = isIpAddress(hostname) ? 'an address belongs into ip' : dnsSubdomain.check(hostname);
  if (wrong) errors.invalid(path.at('hostname'), hostname, wrong);
}

const loadBalancerStatusFields = {
  ingress: list(loadBalancerIngress, 'Entry points that traffic may be sent to.'),
};
export interface LoadBalancerStatus extends FieldsOf<typeof loadBalancerStatusFields> {}
/** How a load balancer is reached from outside; services and ingresses report it. */
export const loadBalancerStatus: ObjectSchema<LoadBalancerStatus> = object(
  'v1.LoadBalancerStatus',
  'The state of a load balancer.',
  loadBalancerStatusFields,
);

/** How a load balancer is reached, by address where it has one. */
export function balancerAddresses(status: LoadBalancerStatus | undefined): string[] {
  return (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').filter(Boolean);
}
