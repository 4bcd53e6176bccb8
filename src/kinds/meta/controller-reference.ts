import { apiVersionOf, type Kind } from '../kind.ts';
import type { ApiObject, OwnerReference } from './object-meta.ts';

/** The reference by which an object says that `owner` manages it; an owner that is deleted in the foreground waits for the object. */
export function controllerReference(kind: Kind, owner: ApiObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid };
  return { ...identity, controller: true, blockOwnerDeletion: true };
}

/** The owner that manages an object, where one does. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether exactly this object, not another of the same name, manages the other one. */
export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The uid of an object's controller, as an index takes it. */
export function controllerUids(object: ApiObject): readonly string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}
