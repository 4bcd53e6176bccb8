import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type {
  ListOptions,
  ObjectItems,
  RequestOptions,
  Watcher,
  WatchHandle,
  WatchListener,
  WatchOptions,
} from './client.ts';
import type { ObjectName } from './object-name.ts';

/** So many whole objects are in memory at once while a list is read. */
const pageSize = 500;

/**
 * Reads objects for whoever needs no more of them than who they are, whom they belong to and whether they are going: everything else is dropped as
 * soon as it comes in, so that a copy of all objects of a cluster stays small. Labels and annotations are dropped, too.
 */
export class MetadataWatcher implements Watcher {
  readonly #client: Watcher;

  constructor(client: Watcher) {
    this.#client = client;
  }

  async get<T extends ApiObject>(kind: Kind<T>, name: ObjectName, options?: RequestOptions): Promise<T> {
    return trim(kind, await this.#client.get(kind, name, options));
  }

  async list<T extends ApiObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ObjectItems<T>> {
    if (options.limit !== undefined || options.continue !== undefined) return this.#page(kind, options);
    const items: T[] = [];
    let page: ObjectItems<T> | undefined;
    do {
      page = await this.#page(kind, { ...options, limit: pageSize, continue: page?.continue });
      for (const item of page.items) items.push(item);
    } while (page.continue);
    return { items, resourceVersion: page.resourceVersion };
  }

  watch<T extends ApiObject>(kind: Kind<T>, options: WatchOptions, listener: WatchListener<T>): Promise<WatchHandle> {
    return this.#client.watch(kind, options, {
      onEvent: ({ type, object }) => listener.onEvent({ type, object: trim(kind, object) }),
      onProgress: (resourceVersion) => listener.onProgress?.(resourceVersion),
      onEnd: (error) => listener.onEnd(error),
    });
  }

  async #page<T extends ApiObject>(kind: Kind<T>, options: ListOptions): Promise<ObjectItems<T>> {
    const page = await this.#client.list(kind, options);
    return { ...page, items: page.items.map((item) => trim(kind, item)) };
  }
}

/** Of the kind's type as far as this goes: whoever asks for metadata looks at nothing else. */
function trim<T extends ApiObject>(kind: Kind<T>, { metadata }: T): T {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = metadata;
  const kept = { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers };
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: kept } satisfies ApiObject as T;
}
