import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import { fraction, type Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Kind } from '../kinds/kind.ts';
import { isApiError, type ApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { Backoff } from './backoff.ts';
import type { SelectionOptions, WatchEvent, Watcher } from './client.ts';
import type { Index, Informer, InformerHandler } from './informer.ts';
import { keyOf } from './object-name.ts';
import { ObjectStore } from './object-store.ts';
import { pause } from './pause.ts';
import { isNewerRevision } from './revision.ts';

export interface InformerParts {
  readonly client: Watcher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

export interface InformerOptions<T extends ApiObject> extends InformerParts {
  readonly kind: Kind<T>;
  readonly selection?: SelectionOptions;
}

/** Opens an informer. It begins at once and goes on until it is closed, whatever happens to the server meanwhile. */
export function openInformer<T extends ApiObject>(options: InformerOptions<T>): Informer<T> {
  const informer = new WatchingInformer(options);
  informer.start();
  return informer;
}

const retries = { firstMs: 200, longestMs: 30_000 };
/** A watch that lived so long was in order, even when nothing happened. */
const steadyMs = 1000;

/**
 * States: listing (everything is read and compared with what is known) -> watching (changes come one by one) -> watching again from the last revision
 * when the watch ends, or listing again when the server no longer remembers that revision (410) or has not come that far. After failures it waits,
 * longer each time.
 */
class WatchingInformer<T extends ApiObject> implements Informer<T> {
  readonly kind: Kind<T>;
  readonly #options: InformerOptions<T>;
  readonly #store = new ObjectStore<T>();
  readonly #handlers = new Set<InformerHandler<T>>();
  readonly #closing = new AbortController();
  readonly #synced = deferred<void>();
  readonly #backoff = new Backoff(retries);
  #isSynced = false;
  #resourceVersion = '';
  #mustList = true;
  /** Something failed, so that the server may be another one than before. */
  #isDoubtful = false;

  constructor(options: InformerOptions<T>) {
    this.kind = options.kind;
    this.#options = options;
    // Whoever waits hears of it; that nobody waits is no error.
    this.#synced.promise.catch(() => {});
  }

  start(): void {
    void this.#run();
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  list(namespace?: string): readonly T[] {
    return this.#store.list(namespace);
  }

  index(read: (object: T) => readonly string[]): Index<T> {
    return this.#store.index(read);
  }

  on(handler: InformerHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#guard(() => handler.added?.(object));
    return () => void this.#handlers.delete(handler);
  }

  close(): void {
    this.#closing.abort(new Error(`the informer of ${this.kind.resource} is closed`));
    this.#handlers.clear();
    this.#synced.reject(this.#closing.signal.reason);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        if (this.#isDoubtful && !this.#mustList) await this.#lookForStepBack();
        if (this.#mustList) await this.#relist();
        if (await this.#follow()) continue;
        await this.#pause();
      } catch (error) {
        if (signal.aborted) return;
        this.#isDoubtful = true;
        this.#options.logger.warn('what is there cannot be read; trying again', {
          resource: this.kind.resource,
          error,
        });
        await this.#pause();
      }
    }
  }

  async #pause(): Promise<void> {
    const ms = this.#backoff.next() * (0.5 + fraction(this.#options.ids) / 2);
    // Closing ends the pause; the loop then ends by itself.
    await pause(this.#options.clock, ms, this.#closing.signal).catch(() => {});
  }

  /** A server that lost its storage, or was given an older one, would have a watch wait for revisions that are yet to come, and tell nothing. */
  async #lookForStepBack(): Promise<void> {
    const { client, selection } = this.#options;
    const { signal } = this.#closing;
    const { resourceVersion } = await client.list(this.kind, { ...selection, limit: 1, signal });
    this.#mustList = isNewerRevision(this.#resourceVersion, resourceVersion);
    this.#isDoubtful = false;
  }

  async #relist(): Promise<void> {
    const { client, selection } = this.#options;
    const { items, resourceVersion } = await client.list(this.kind, { ...selection, signal: this.#closing.signal });
    if (this.#closing.signal.aborted) return;
    const gone = new Set(this.#store.keys);
    for (const object of items) {
      gone.delete(keyOf(object));
      this.#put(object);
    }
    for (const key of gone) this.#remove(key);
    this.#resourceVersion = resourceVersion;
    this.#mustList = false;
    this.#isDoubtful = false;
    this.#isSynced = true;
    this.#synced.resolve();
  }

  /** Follows changes until the watch ends; true when all was in order, so that the next one can begin at once. */
  async #follow(): Promise<boolean> {
    const { client, selection, clock, logger } = this.#options;
    const { signal } = this.#closing;
    const ended = deferred<ApiError | undefined>();
    const openedAt = clock.ticks();
    let events = 0;
    const onAbort = (): void => ended.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const watching = { ...selection, resourceVersion: this.#resourceVersion, signal };
      await client.watch(this.kind, watching, {
        onEvent: (event) => {
          events++;
          this.#apply(event);
        },
        onProgress: (resourceVersion) => {
          if (resourceVersion) this.#resourceVersion = resourceVersion;
        },
        onEnd: ended.resolve,
      });
      const error = await ended.promise;
      const isSteady = events > 0 || clock.ticks() - openedAt >= steadyMs;
      if (isSteady) this.#backoff.reset();
      if (!error) return isSteady;
      if (!isApiError(error, 410)) throw error;
      logger.debug('a watch fell behind; listing again', { resource: this.kind.resource });
      this.#mustList = true;
      return isSteady;
    } catch (error) {
      if (isApiError(error, 410)) this.#mustList = true;
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #apply({ type, object }: WatchEvent<T>): void {
    if (this.#closing.signal.aborted) return;
    if (type === 'DELETED') this.#remove(keyOf(object), object);
    else this.#put(object);
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  #put(object: T): void {
    const old = this.#store.get(keyOf(object));
    if (old && old.metadata.uid === object.metadata.uid) {
      if (old.metadata.resourceVersion === object.metadata.resourceVersion) return;
      this.#store.set(object);
      this.#tell((handler) => handler.updated?.(old, object));
      return;
    }
    // Another object of the same name: the end of the first one was missed.
    if (old) this.#remove(keyOf(old));
    this.#store.set(object);
    this.#tell((handler) => handler.added?.(object));
  }

  #remove(key: string, last?: T): void {
    const old = this.#store.delete(key);
    if (old) this.#tell((handler) => handler.deleted?.(last ?? old));
  }

  #tell(call: (handler: InformerHandler<T>) => void): void {
    // A handler that comes meanwhile has heard of the object as one that is there.
    for (const handler of Array.from(this.#handlers)) this.#guard(() => call(handler));
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.logger.error('a handler of an informer failed', { resource: this.kind.resource, error });
    }
  }
}
