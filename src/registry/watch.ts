import { ApiError, invalid } from '../kinds/meta/api-error.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import type { Entry, StorageEvent } from '../storage/storage.ts';
import { collectionPrefix, objectKey, type CollectionAddress } from './address.ts';
import type { RegistryContext } from './registry.ts';
import type { Selection } from './selectors/selection.ts';
import { list } from './list.ts';
import { translateStorageError } from './storage-errors.ts';
import type { ChangeType, ObjectEvent } from './watch-event.ts';

export interface WatchRequest {
  readonly selection: Selection;
  /** Only this object, for the `/watch/.../{name}` paths. */
  readonly name?: string;
  /** Changes after this revision; absent or "0": what is there as ADDED, then changes. */
  readonly resourceVersion?: string;
}

/** A change as one watcher sees it. The event, and all that it gives, is shared with others and must not be changed. */
export interface Change {
  readonly type: ChangeType;
  readonly event: ObjectEvent;
}

export interface WatchListener {
  /** What is there when the watch begins. Comes first, at most once, and only when no revision was named. */
  onInitial(entries: readonly Entry[], revision: number): void;
  onChanges(changes: readonly Change[]): void;
  /** The watch ended by itself; an error is to be shown to the client as an ERROR event. */
  onEnd(error?: ApiError): void;
}

export interface WatchHandle {
  /** Revision up to which the listener has heard of everything; for bookmarks. */
  revision(): number;
  close(): void;
}

/** Refuses a bad revision with an `ApiError`, and one that is too old with 410; what is forgotten later ends the watch through the listener. */
export async function watch(
  context: RegistryContext,
  address: CollectionAddress,
  request: WatchRequest,
  listener: WatchListener,
): Promise<WatchHandle> {
  const { served, namespace } = address;
  const { selection } = request;
  const after = parseResourceVersion(request.resourceVersion, served);
  let start = after;
  if (start === 0) {
    const initial = await list(context, address, { selection });
    const entries =
      request.name === undefined ? initial.entries : initial.entries.filter(isNamed(address, request.name));
    listener.onInitial(entries, initial.revision);
    start = initial.revision;
  }
  let revision = start;
  const prefix = collectionPrefix(served.kind, namespace);
  const key = request.name === undefined ? undefined : objectKey(served.kind, namespace, request.name);
  const onEvents = (events: readonly StorageEvent[]): void => {
    const changes: Change[] = [];
    for (const storageEvent of events) {
      if (key !== undefined && storageEvent.key !== key) continue;
      const event = context.events.of(served.kind, storageEvent);
      const type = event.typeFor(selection);
      if (type) changes.push({ type, event });
    }
    revision = events.at(-1)?.revision ?? revision;
    if (changes.length > 0) listener.onChanges(changes);
  };
  try {
    const handle = await context.storage.watch(prefix, start, {
      onEvents,
      onEnd: (error) => listener.onEnd(error && asApiError(translateStorageError(error))),
    });
    return { revision: () => revision, close: () => handle.close() };
  } catch (error) {
    throw translateStorageError(error);
  }
}

function isNamed(address: CollectionAddress, name: string): (entry: Entry) => boolean {
  const key = objectKey(address.served.kind, address.namespace, name);
  return (entry) => entry.key === key;
}

function asApiError(error: unknown): ApiError | undefined {
  return error instanceof ApiError ? error : undefined;
}

function parseResourceVersion(text: string | undefined, served: ServedVersion): number {
  if (text === undefined || text === '') return 0;
  const revision = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(revision)) return revision;
  const message = `${JSON.stringify(text)} is no resourceVersion; use one that the server gave`;
  throw invalid({ kind: served.kind.kind }, [{ field: 'resourceVersion', reason: 'FieldValueInvalid', message }]);
}
