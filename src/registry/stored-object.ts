import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';

/**
 * One object as storage holds it: JSON of the stored version, without what is written into each answer (resourceVersion, selfLink).
 * Nobody changes the bytes, nor the object that they are parsed into.
 */
export class StoredObject<T extends ApiObject = ApiObject> {
  readonly kind: Kind;
  readonly key: string;
  readonly bytes: Buffer;
  /** 0 for an object that is not stored (a dry run). */
  readonly revision: number;
  #object: T | undefined;

  constructor(parts: { kind: Kind; key: string; bytes: Buffer; revision: number; object?: T }) {
    this.kind = parts.kind;
    this.key = parts.key;
    this.bytes = parts.bytes;
    this.revision = parts.revision;
    this.#object = parts.object;
  }

  /** The object, parsed on first use. Read-only, and without resourceVersion and selfLink. */
  get object(): Readonly<T> {
    this.#object ??= JSON.parse(this.bytes.toString('utf8')) as T;
    return this.#object;
  }

  /** A copy to change, with its resourceVersion. */
  thaw(): T {
    const copy = JSON.parse(this.bytes.toString('utf8')) as T;
    copy.metadata.resourceVersion = String(this.revision);
    return copy;
  }
}
