import { object, string, type FieldsOf } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const objectReferenceFields = {
  kind: string('Kind of the object referred to.'),
  namespace: string('Namespace of the object.'),
  name: string('Name of the object.'),
  uid: string('Uid of the object.'),
  apiVersion: string('Group and version through which the object is reached.'),
  resourceVersion: string('Revision of the object that is meant, where one is.'),
  fieldPath: string('The part of the object that is meant, e.g. spec.containers{web}.'),
};
export interface ObjectReference extends FieldsOf<typeof objectReferenceFields> {}
export const objectReference: ObjectSchema<ObjectReference> = object(
  'v1.ObjectReference',
  'Points at an object, or at a part of one.',
  objectReferenceFields,
);

const localObjectReferenceFields = {
  name: string('Name of the object.'),
};
export interface LocalObjectReference extends FieldsOf<typeof localObjectReferenceFields> {}
export const localObjectReference: ObjectSchema<LocalObjectReference> = object(
  'v1.LocalObjectReference',
  'Points at an object in the same namespace.',
  localObjectReferenceFields,
);
