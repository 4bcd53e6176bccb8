import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';

/** Told of what happens to the objects of an informer. Handlers must return quickly; what they throw is logged. */
export interface InformerHandler<T> {
  /** Also called for every object that is there when the handler comes. */
  added?(object: T): void;
  updated?(old: T, object: T): void;
  /** The object as it was last known. */
  deleted?(object: T): void;
}

/** Objects by something that is read out of them. */
export interface Index<T> {
  get(value: string): readonly T[];
}

/**
 * A local copy of the objects of one kind (of one selection), kept up to date by one watch. It can lag behind the server, never misses a change for
 * good, and tells each one once. The objects in it are shared by all: read-only. Use `structuredClone` to get one to change.
 */
export interface Informer<T extends ApiObject> {
  readonly kind: Kind<T>;
  /** Resolves when the copy is complete for the first time; rejects when the informer is closed before. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** How far the copy has come. */
  readonly resourceVersion: string;
  /** By `namespace/name`, or `name` for kinds of the cluster. */
  get(key: string): T | undefined;
  /** Everything, or what is in one namespace. */
  list(namespace?: string): readonly T[];
  /** The same function always gives the same index, so several users share it. */
  index(read: (object: T) => readonly string[]): Index<T>;
  /** Returns what takes the handler away again. */
  on(handler: InformerHandler<T>): () => void;
  close(): void;
}
