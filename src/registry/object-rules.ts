import { Path } from '../schema/path.ts';
import type { FieldError, FieldErrors } from '../schema/field-errors.ts';
import { validate } from '../schema/validate.ts';
import { badRequest, invalid } from '../kinds/meta/api-error.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import { keyFault } from '../storage/keys.ts';
import { objectKey, type CollectionAddress, type ObjectAddress } from './address.ts';

const metadata = Path.of('metadata');

/** What every new object must keep to: 422 with every mistake, in the words of the version it was written in. */
export function checkNew(served: ServedVersion, object: ApiObject): void {
  const { kind } = served;
  const errors = validate(kind.schema, object);
  checkName(kind, object, errors);
  kind.validateCreate?.(object, errors);
  served.rules?.validate?.(object, errors);
  if (kind.metadataComesLast && errors.list.some(isElsewhere)) refuse(served, object, errors.list.filter(isElsewhere));
  refuse(served, object, errors.list);
}

/** Whether it is not about metadata. */
function isElsewhere({ field }: FieldError): boolean {
  return !field.startsWith('metadata');
}

/** What every change must keep to. `subresource` says which rules of the kind apply. */
export function checkChange(
  served: ServedVersion,
  object: ApiObject,
  old: ApiObject,
  subresource: string | undefined,
): void {
  const { kind } = served;
  const errors = validate(kind.schema, object);
  checkUnchanged(object, old, errors);
  if (subresource === undefined) checkGenerateName(kind, object, errors);
  if (subresource === 'status') kind.validateStatusUpdate?.(object, old, errors);
  else if (subresource === undefined || subresource === 'finalize') kind.validateUpdate?.(object, old, errors);
  if (subresource === undefined) {
    served.rules?.validate?.(object, errors);
    served.rules?.validateUpdate?.(object, old, errors);
  }
  if (subresource === undefined && kind.requiresVersionOnUpdate && !object.metadata.resourceVersion) {
    errors.invalid(metadata.at('resourceVersion'), '', 'a change must say which version it was made from');
  }
  refuse(served, object, errors.list);
}

function checkName(kind: Kind, object: ApiObject, errors: FieldErrors): void {
  const { name } = object.metadata;
  checkGenerateName(kind, object, errors);
  if (!name) {
    errors.required(metadata.at('name'), 'give a name, or a generateName to have one made');
    return;
  }
  // The names of some kinds may be nearly anything, but not everything can be stored under.
  const wrong = kind.nameFormat.check(name) ?? keyFault(objectKey(kind, object.metadata.namespace, name));
  if (wrong) errors.invalid(metadata.at('name'), name, wrong);
}

function checkGenerateName(kind: Kind, object: ApiObject, errors: FieldErrors): void {
  const { generateName } = object.metadata;
  if (!generateName) return;
  // What follows the dash is not there yet, so the dash does not end the name. The reference looks past one character more.
  const wrong = kind.nameFormat.check(generateName.replace(/[^]?-$/, 'a'));
  if (wrong) errors.invalid(metadata.at('generateName'), generateName, wrong);
}

/** Fields that only the server writes may be left out or repeated, not changed. */
function checkUnchanged(object: ApiObject, old: ApiObject, errors: FieldErrors): void {
  for (const field of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    const value = object.metadata[field];
    if (value !== old.metadata[field]) errors.invalid(metadata.at(field), value, 'only the server sets this');
  }
}

function refuse({ group, kind, conversion }: ServedVersion, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const list = conversion
    ? errors.map((error) => ({ ...error, field: conversion.fieldFromStored(error.field) }))
    : errors;
  throw invalid({ group, kind: kind.kind, name: object.metadata.name }, list);
}

/** A body may leave its namespace out, but not name another than the path. */
export function settleNamespace(address: CollectionAddress, object: ApiObject): void {
  checkNamespace(address, object.metadata.namespace);
  placeIn(address, object);
}

export function checkNamespace({ served, namespace }: CollectionAddress, named: string | undefined): void {
  if (!served.kind.namespaced || !named || named === namespace) return;
  throw badRequest(`the body's namespace is "${named}", the path's is "${namespace}"`);
}

/** Puts the object where the path says, whatever it says itself. */
export function placeIn({ served, namespace }: CollectionAddress, { metadata }: ApiObject): void {
  if (served.kind.namespaced) metadata.namespace = namespace;
  else delete metadata.namespace;
}

/** A body that replaces an object must name it. */
export function checkNamed(address: ObjectAddress, object: ApiObject): void {
  const { name } = object.metadata;
  if (!name) throw badRequest(`the body must give metadata.name, "${address.name}" as in the path`);
  if (name !== address.name) throw badRequest(`the body's name is "${name}", the path's is "${address.name}"`);
}
