import { integer, object, one, string, stringMap, type FieldsOf } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { kindSchema } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';

const scaleSpecFields = {
  replicas: integer('How many pods there are to be.', { min: 0 }),
};
export interface ScaleSpec extends FieldsOf<typeof scaleSpecFields> {}
export const scaleSpec: ObjectSchema<ScaleSpec> = object(
  'v1beta1.ScaleSpec',
  'How far something is scaled.',
  scaleSpecFields,
);

const scaleStatusFields = {
  replicas: integer('How many pods there are.').mandatory().always(0),
  selector: stringMap('Labels of the pods that are counted, where they are chosen by labels alone.'),
  targetSelector: string('Which pods are counted, as the text of a label selector.'),
};
export interface ScaleStatus extends FieldsOf<typeof scaleStatusFields> {}
const scaleStatus: ObjectSchema<ScaleStatus> = object(
  'v1beta1.ScaleStatus',
  'How far something is scaled at the moment.',
  scaleStatusFields,
);

const scaleFields = {
  spec: one(scaleSpec, 'What is asked for.').mandatory().defaultsTo({}),
  status: one(scaleStatus, 'What is there.').defaultsTo({ replicas: 0 }),
};
export interface Scale extends ApiObject, FieldsOf<typeof scaleFields> {}
/** What `/scale` of a workload gives and takes. It is a view: nothing is stored under its name. */
export const scale: ObjectSchema<Scale> = kindSchema(
  { apiVersion: 'extensions/v1beta1', kind: 'Scale', description: 'The number of pods of a workload.' },
  scaleFields,
);
