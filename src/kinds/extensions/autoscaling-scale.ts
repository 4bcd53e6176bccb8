import { integer, object, one, string, type FieldsOf } from '../../schema/builders.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { kindSchema } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { scale as extensionsScale, scaleSpec } from './scale.ts';

const scaleStatusFields = {
  replicas: integer('How many pods there are.').mandatory().always(0),
  selector: string('Which pods are counted, as the text of a label selector.'),
};
interface ScaleStatus extends FieldsOf<typeof scaleStatusFields> {}
const scaleStatus: ObjectSchema<ScaleStatus> = object(
  'v1.ScaleStatus',
  'How far something is scaled at the moment.',
  scaleStatusFields,
);

const scaleFields = {
  spec: one(renameTypes(scaleSpec, 'v1beta1', 'v1'), 'What is asked for.').defaultsTo({}),
  status: one(scaleStatus, 'What is there.').defaultsTo({ replicas: 0 }),
};
interface AutoscalingScale extends ApiObject, FieldsOf<typeof scaleFields> {}
/** What `/scale` gives and takes outside the extensions group: one text says which pods are counted. */
export const autoscalingScale: ObjectSchema<AutoscalingScale> = kindSchema(
  { apiVersion: 'autoscaling/v1', kind: 'Scale', description: extensionsScale.description },
  scaleFields,
);
