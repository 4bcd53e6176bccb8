import { boolean, list, long, object, string, stringMap, strings, time, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { labelValue, qualifiedName } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const ownerReferenceFields = {
  apiVersion: string('Group and version of the owner.').mandatory(),
  kind: string('Kind of the owner.').mandatory(),
  name: string('Name of the owner.').mandatory(),
  uid: string('Uid of the owner.').mandatory(),
  controller: boolean('Whether this owner manages the object; at most one does.').keepZero(),
  blockOwnerDeletion: boolean(
    'Whether the owner waits for this object when it is deleted in the foreground.',
  ).keepZero(),
};
export interface OwnerReference extends FieldsOf<typeof ownerReferenceFields> {}
const ownerReference: ObjectSchema<OwnerReference> = object(
  'v1.OwnerReference',
  'An object that this one belongs to; when all owners are gone, so is the object.',
  ownerReferenceFields,
);

const objectMetaFields = {
  name: string('Name of the object, unique for its kind and namespace.'),
  generateName: string('Beginning of a name that the server completes when no name is given.'),
  namespace: string('Namespace the object lives in; empty for kinds of the cluster.'),
  selfLink: string('Path of the object; set by the server.'),
  uid: string('Identity of the object over time and space; set by the server.'),
  resourceVersion: string('Revision of the last change; a write that carries an old one is refused.'),
  generation: long('Counts the changes of what is asked for; set by the server.'),
  creationTimestamp: time('When the object was created; set by the server.'),
  deletionTimestamp: time('When the object is to be gone; set by the server when deletion was asked for.'),
  deletionGracePeriodSeconds: long('Seconds that the object was given to end; set with deletionTimestamp.').keepZero(),
  labels: stringMap('Short values that selectors match on.'),
  annotations: stringMap('Values that tools keep with the object; not selected on.'),
  ownerReferences: list(ownerReference, 'Objects that this one belongs to.').mergeBy('uid'),
  finalizers: strings('Who must act before the object is removed.'),
};
export interface ObjectMeta extends FieldsOf<typeof objectMetaFields> {}
export const objectMeta: ObjectSchema<ObjectMeta> = object(
  'v1.ObjectMeta',
  'What every stored object says about itself.',
  objectMetaFields,
  { validate: validateObjectMeta },
);

/** As above inside a pod template, where empty labels are told from none: selectors are derived from them. */
export const templateMeta: ObjectSchema<ObjectMeta> = object(
  'v1.ObjectMeta',
  'What every stored object says about itself.',
  { ...objectMetaFields, labels: objectMetaFields.labels.keepZero() },
  { validate: validateObjectMeta },
);

const annotationBytes = 256 * 1024;

function validateObjectMeta(meta: ObjectMeta, path: Path, errors: FieldErrors): void {
  if (meta.labels) validateLabels(meta.labels, path.at('labels'), errors);
  if (meta.annotations) validateAnnotations(meta.annotations, path.at('annotations'), errors);
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.invalid(path.at('generation'), meta.generation, 'must not be negative');
  }
}

/** Rules for a map of labels, wherever one stands. */
export function validateLabels(labels: Record<string, string>, path: Path, errors: FieldErrors): void {
  for (const [key, value] of Object.entries(labels)) {
    const wrongKey = qualifiedName.check(key);
    if (wrongKey) errors.invalid(path, key, wrongKey);
    const wrongValue = labelValue.check(value);
    if (wrongValue) errors.invalid(path, value, wrongValue);
  }
}

/** Keys are names whatever their case; all keys and values together have a bound. */
export function validateAnnotations(annotations: Record<string, string>, path: Path, errors: FieldErrors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    const wrong = qualifiedName.check(key.toLowerCase());
    if (wrong) errors.invalid(path, key, wrong);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationBytes) errors.tooLong(path, annotationBytes, 'bytes');
}

const listMetaFields = {
  selfLink: string('Path of the list.'),
  resourceVersion: string('Revision at which the list was read; watch from here.'),
  continue: string('Token that gets the next part of a list that was read in parts.'),
  remainingItemCount: long('How many items follow this part, where that is known.'),
};
export interface ListMeta extends FieldsOf<typeof listMetaFields> {}
export const listMeta: ObjectSchema<ListMeta> = object('v1.ListMeta', 'What a list says about itself.', listMetaFields);

/** What every object has, whatever its kind. */
export interface ApiObject {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
}
