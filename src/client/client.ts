import type { Namespace } from '../kinds/core/namespace.ts';
import type { Scale } from '../kinds/extensions/scale.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiError } from '../kinds/meta/api-error.ts';
import type { DeleteOptions } from '../kinds/meta/delete-options.ts';
import type { LabelSelector } from '../kinds/meta/label-selector.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { ObjectName } from './object-name.ts';

export interface RequestOptions {
  /** Gives the request up; the promise rejects with the signal's reason. The server may have carried it out all the same. */
  readonly signal?: AbortSignal;
}

/** Which objects of a kind are meant; everything when all is absent. */
export interface SelectionOptions {
  /** All namespaces when absent. */
  readonly namespace?: string;
  /** `app=web,tier in (a,b)`, or the same as an object. */
  readonly labels?: string | LabelSelector;
  /** `spec.nodeName=n1`, or fields with the values that they must have. */
  readonly fields?: string | Readonly<Record<string, string>>;
}

export interface ListOptions extends SelectionOptions, RequestOptions {
  /** At most this many; all when absent. */
  readonly limit?: number;
  /** Where the part before ended. */
  readonly continue?: string;
}

/** What is there of a kind, all at one revision. The items are the caller's own. */
export interface ObjectItems<T> {
  readonly items: T[];
  /** Watch from here. */
  readonly resourceVersion: string;
  /** Gets the next part, when the list was cut by `limit`. */
  readonly continue?: string;
}

/**
 * Reads objects. What is returned is the caller's own to change. Every refusal is an `ApiError`, whatever the make of the client; a server
 * that cannot be reached counts as one that is unavailable (503).
 */
export interface Reader {
  /** The object, or an error with code 404. */
  get<T extends ApiObject>(kind: Kind<T>, name: ObjectName, options?: RequestOptions): Promise<T>;
  list<T extends ApiObject>(kind: Kind<T>, options?: ListOptions): Promise<ObjectItems<T>>;
}

/** A patch in one of its three forms. */
export type Patch =
  { readonly merge: object } | { readonly strategic: object } | { readonly json: readonly JsonPatchOperation[] };

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export interface DeleteRequestOptions
  extends Pick<DeleteOptions, 'gracePeriodSeconds' | 'preconditions' | 'propagationPolicy'>, RequestOptions {}

/**
 * Changes objects. The argument is left as it is; the result is the object as the server has it now. A replace that carries a resourceVersion
 * fails with 409 when the object was changed since.
 */
export interface Writer {
  create<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T>;
  /** Replaces all but the status. */
  update<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T>;
  /** Replaces the status, for kinds that have one of their own. */
  updateStatus<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T>;
  patch<T extends ApiObject>(kind: Kind<T>, name: ObjectName, patch: Patch, options?: RequestOptions): Promise<T>;
  /** Resolves once the object is gone or marked to go; 404 when it was not there. */
  delete(kind: Kind, name: ObjectName, options?: DeleteRequestOptions): Promise<void>;
  deleteCollection(kind: Kind, selection: SelectionOptions, options?: DeleteRequestOptions): Promise<void>;
}

/** A change of one object. The object is shared by all who watch it: read-only. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

export interface WatchOptions extends SelectionOptions, RequestOptions {
  /** Changes after this revision, as a list or an earlier event gave it. */
  readonly resourceVersion: string;
}

export interface WatchListener<T> {
  /** Must return quickly and not throw. May be called before the promise of `watch` resolves. */
  onEvent(event: WatchEvent<T>): void;
  /** Nothing has happened up to this revision: a later watch can begin there. */
  onProgress?(resourceVersion: string): void;
  /** Called once when the watch ends other than by `close`; without an error when the server ended it in good order. */
  onEnd(error?: ApiError): void;
}

export interface WatchHandle {
  /** No event comes after this. */
  close(): void;
}

/** Follows what happens to objects. */
export interface Watcher extends Reader {
  /** Every change after a revision, in order; ends with 410 when the server does not remember that far back. */
  watch<T extends ApiObject>(kind: Kind<T>, options: WatchOptions, listener: WatchListener<T>): Promise<WatchHandle>;
}

/** Reads and sets how many pods a workload is to have, without knowing its kind. */
export interface Scaler {
  getScale(kind: Kind, name: ObjectName, options?: RequestOptions): Promise<Scale>;
  /** Fails with 409 when the scale carries a resourceVersion and the object was changed since. */
  updateScale(kind: Kind, name: ObjectName, scale: Scale, options?: RequestOptions): Promise<Scale>;
}

export interface PodBinding {
  readonly pod: ObjectName;
  /** Where it is given, another pod of the same name is refused with 409. */
  readonly uid?: string;
  readonly node: string;
  /** Added to those of the pod. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Puts pods on nodes. */
export interface Binder {
  /** Fails with 409 when the pod has a node already or is being deleted. */
  bind(binding: PodBinding, options?: RequestOptions): Promise<void>;
}

/** Says who must still act before a namespace is gone. */
export interface NamespaceFinalizer {
  /** Stores the namespace's spec.finalizers. */
  finalize(namespace: Namespace, options?: RequestOptions): Promise<Namespace>;
}

/** All that a component can do through the API. Ask for the narrowest part that will do. */
export interface Client extends Reader, Writer, Watcher, Scaler, Binder, NamespaceFinalizer {}
