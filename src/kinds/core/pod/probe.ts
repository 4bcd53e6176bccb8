import { integer, object, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { handlerFields, validateHandler } from './handler.ts';

const probeFields = {
  ...handlerFields,
  initialDelaySeconds: integer('Seconds from the start of the container to the first probe.', { min: 0 }),
  timeoutSeconds: integer('Seconds after which a probe counts as failed.', { min: 0 }).defaultsTo(1),
  periodSeconds: integer('Seconds from one probe to the next.', { min: 0 }).defaultsTo(10),
  successThreshold: integer('Successes in a row that count as one after a failure.', { min: 0 }).defaultsTo(1),
  failureThreshold: integer('Failures in a row that count as one after a success.', { min: 0 }).defaultsTo(3),
};
export interface Probe extends FieldsOf<typeof probeFields> {}
export const probe: ObjectSchema<Probe> = object(
  'v1.Probe',
  'A check that is made on a container again and again.',
  probeFields,
  { validate: validateHandler },
);
