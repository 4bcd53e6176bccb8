import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { objectKey } from '../registry/address.ts';
import type { Storage } from '../storage/storage.ts';

/** A stored object as it is now; undefined when it is not there. */
export async function readObject<T extends ApiObject>(
  storage: Storage,
  kind: Kind<T>,
  namespace: string | undefined,
  name: string,
): Promise<T | undefined> {
  const entry = await storage.get(objectKey(kind, namespace, name));
  return entry && (JSON.parse(entry.value.toString('utf8')) as T);
}
