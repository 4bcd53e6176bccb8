import { object, string, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';

const objectFieldSelectorFields = {
  apiVersion: string('Version in which the path is written.').defaultsTo('v1'),
  fieldPath: string('Path of the field, such as metadata.name.').mandatory(),
};
export interface ObjectFieldSelector extends FieldsOf<typeof objectFieldSelectorFields> {}
export const objectFieldSelector: ObjectSchema<ObjectFieldSelector> = object(
  'v1.ObjectFieldSelector',
  'A field of the pod.',
  objectFieldSelectorFields,
);
