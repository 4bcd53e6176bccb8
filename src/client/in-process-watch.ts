import { isApiError, type ApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import { parseKey, selfLink, type CollectionAddress } from '../registry/address.ts';
import { presentObject } from '../registry/encoding.ts';
import type { Registry } from '../registry/registry.ts';
import { StoredObject } from '../registry/stored-object.ts';
import type { Change, WatchRequest } from '../registry/watch.ts';
import type { Entry } from '../storage/storage.ts';
import type { WatchHandle, WatchListener } from './client.ts';

export interface InProcessWatchOptions {
  readonly address: CollectionAddress;
  readonly request: WatchRequest;
  readonly listener: WatchListener<ApiObject>;
  readonly signal?: AbortSignal;
  readonly freezes: boolean;
}

/** Passes changes on as they are committed: whoever wrote hears of it only when the listener has returned. */
export async function watchInProcess(registry: Registry, options: InProcessWatchOptions): Promise<WatchHandle> {
  const { address, request, listener, signal } = options;
  let isOpen = true;
  const give = (type: Change['type'], object: ApiObject): void => {
    if (isOpen) listener.onEvent({ type, object: options.freezes ? deepFreeze(object) : object });
  };
  const end = (error?: ApiError): void => {
    if (!isOpen) return;
    isOpen = false;
    signal?.removeEventListener('abort', close);
    listener.onEnd(error);
  };
  let stop = (): void => {};
  function close(): void {
    isOpen = false;
    signal?.removeEventListener('abort', close);
    stop();
  }
  signal?.addEventListener('abort', close, { once: true });
  try {
    const handle = await registry.watch(address, request, {
      onInitial: (entries) => entries.forEach((entry) => give('ADDED', objectOf(entry, address.served))),
      onChanges: (changes) => changes.forEach((change) => give(change.type, changedObject(change, address.served))),
      onEnd: end,
    });
    stop = () => handle.close();
    if (!isOpen) stop();
  } catch (error) {
    // Over HTTP a revision that is too old is told in the stream; here it comes the same way.
    if (!isApiError(error, 410)) throw error;
    end(error);
  }
  return { close };
}

function objectOf({ key, value, revision }: Entry, served: ServedVersion): ApiObject {
  return presentObject(new StoredObject({ kind: served.kind, key, bytes: value, revision }), served);
}

/** Only what differs from the stored object is new: the rest is shared by all who look at the change. */
function changedObject({ event }: Change, served: ServedVersion): ApiObject {
  const { object, revision } = event;
  const { namespace, name } = parseKey(served.kind, event.key);
  const { kind, apiVersion, metadata, ...rest } = object;
  const link = selfLink(served, namespace, name);
  return {
    kind,
    apiVersion,
    metadata: { ...metadata, selfLink: link, resourceVersion: String(revision) },
    ...rest,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
