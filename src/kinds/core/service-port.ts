import { integer, intOrString, object, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsLabel, portName } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { isPortNumber, protocolField, requiredPort } from './ports.ts';

const servicePortFields = {
  name: string('Name of the port; may be left out when there is only one.', dnsLabel),
  protocol: protocolField(),
  port: requiredPort('Number under which the service is reached.'),
  targetPort: intOrString('Number or name of the port of the pods; the same number unless given.'),
  nodePort: integer('Number under which every node passes traffic on; chosen by the server unless given.'),
};
export interface ServicePort extends FieldsOf<typeof servicePortFields> {}
export const servicePort: ObjectSchema<ServicePort> = object(
  'v1.ServicePort',
  'One port of a service.',
  servicePortFields,
  { complete: completeServicePort, validate: validateServicePort },
);

function completeServicePort(port: ServicePort): void {
  port.targetPort ||= port.port;
}

function validateServicePort({ targetPort = 0 }: ServicePort, path: Path, errors: FieldErrors): void {
  if (typeof targetPort === 'number') {
    if (!isPortNumber(targetPort)) errors.invalid(path.at('targetPort'), targetPort, 'must be between 1 and 65535');
    return;
  }
  const wrong = portName.check(targetPort);
  if (wrong) errors.invalid(path.at('targetPort'), targetPort, wrong);
}
