import { notFound } from '../kinds/meta/api-error.ts';
import { objectKey, subjectOf, type ObjectAddress } from './address.ts';
import type { RegistryContext } from './registry.ts';
import { translateStorageError } from './storage-errors.ts';
import { StoredObject } from './stored-object.ts';

/** The object, or 404. */
export async function get(context: RegistryContext, address: ObjectAddress): Promise<StoredObject> {
  const { kind } = address.served;
  const key = objectKey(kind, address.namespace, address.name);
  try {
    const entry = await context.storage.get(key);
    if (!entry) throw notFound(subjectOf(address));
    return new StoredObject({ kind, key, bytes: entry.value, revision: entry.revision });
  } catch (error) {
    throw translateStorageError(error);
  }
}

export async function find(context: RegistryContext, address: ObjectAddress): Promise<StoredObject | undefined> {
  const { kind } = address.served;
  const key = objectKey(kind, address.namespace, address.name);
  try {
    const entry = await context.storage.get(key);
    return entry && new StoredObject({ kind, key, bytes: entry.value, revision: entry.revision });
  } catch (error) {
    throw translateStorageError(error);
  }
}
