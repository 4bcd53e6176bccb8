import { integer, object, oneOf, string, type FieldsOf } from '../../../schema/builders.ts';
import { portName } from '../../../schema/formats.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';

const containerPortFields = {
  name: string('Name of the port, by which services and probes can refer to it.', portName),
  hostPort: integer('Port of the node that leads here.', { min: 1, max: 65535 }),
  containerPort: integer('Port that the container listens on.', { min: 1, max: 65535 }).mandatory().always(0),
  protocol: oneOf(['TCP', 'UDP'], 'Protocol of the port.').defaultsTo('TCP'),
  hostIP: string('Address of the node on which hostPort is opened.'),
};
export interface ContainerPort extends FieldsOf<typeof containerPortFields> {}
export const containerPort: ObjectSchema<ContainerPort> = object(
  'v1.ContainerPort',
  'A port that a container listens on.',
  containerPortFields,
);
