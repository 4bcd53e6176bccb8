import type { ApiObject, ObjectMeta } from '../../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../../kinds/served-version.ts';
import { parseKey, selfLink } from '../../registry/address.ts';
import { encodeObject } from '../../registry/encoding.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import type { Entry } from '../../storage/storage.ts';

/** An object of which a client sees a part. */
export interface Showable {
  /** As it is stored, which is what columns read. */
  readonly object: Readonly<ApiObject>;
  /** As it is served. */
  readonly metadata: ObjectMeta;
  /** The whole object as it is served. */
  encode(): Buffer;
}

export function showStored(stored: StoredObject, served: ServedVersion): Showable {
  const { object, revision } = stored;
  const { namespace, name } = parseKey(served.kind, stored.key);
  const { metadata } = served.conversion?.fromStored(object) ?? object;
  const resourceVersion = revision > 0 ? String(revision) : undefined;
  return {
    object,
    metadata: { selfLink: selfLink(served, namespace, name), resourceVersion, ...metadata },
    encode: () => encodeObject(stored, served),
  };
}

export function showEntry({ key, value, revision }: Entry, served: ServedVersion): Showable {
  return showStored(new StoredObject({ kind: served.kind, key, bytes: value, revision }), served);
}

/** What is worked out when it is asked for, and stored nowhere. */
export function showComputed(object: ApiObject): Showable {
  return { object, metadata: object.metadata, encode: () => Buffer.from(JSON.stringify(object)) };
}
