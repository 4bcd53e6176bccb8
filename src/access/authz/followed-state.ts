import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { collectionPrefix } from '../../registry/address.ts';
import type { Storage, StorageEvent, StorageWatch } from '../../storage/storage.ts';

/** Takes the objects of one kind as they are, and as they change. */
export interface KindFollower<T extends ApiObject = ApiObject> {
  readonly kind: Kind<T>;
  /** A new object, or a changed one; by key. Where it throws, the object counts as deleted. */
  set(key: string, object: T): void;
  delete(key: string): void;
}

/** State that is worked out from stored objects. */
export interface Derived {
  readonly followers: readonly KindFollower[];
}

/**
 * Keeps derived state up to date. It is made on first use, then kept up by watches, which storage serves before it answers the writer: a write that
 * was answered is in here. Where a watch ends, all is worked out anew on next use. Lasts as long as the storage.
 */
export class FollowedState<S extends Derived> {
  readonly #storage: Storage;
  readonly #create: () => S;
  #ready: S | undefined;
  #opening: Promise<S> | undefined;

  constructor(storage: Storage, create: () => S) {
    this.#storage = storage;
    this.#create = create;
  }

  /** No promise once it is there: this is asked on every request. */
  get(): S | Promise<S> {
    return this.#ready ?? (this.#opening ??= this.#open());
  }

  async #open(): Promise<S> {
    const state = this.#create();
    const watches: StorageWatch[] = [];
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      this.#ready = this.#opening = undefined;
      for (const watch of watches) watch.close();
    };
    try {
      for (const follower of state.followers) watches.push(await follow(this.#storage, follower, end));
    } catch (error) {
      end();
      throw error;
    }
    if (ended) for (const watch of watches) watch.close();
    else this.#ready = state;
    return state;
  }
}

async function follow(storage: Storage, follower: KindFollower, onEnd: () => void): Promise<StorageWatch> {
  const prefix = collectionPrefix(follower.kind);
  const { entries, revision } = await storage.list(prefix);
  for (const { key, value } of entries) take(follower, key, value);
  return storage.watch(prefix, revision, {
    onEvents(events: readonly StorageEvent[]) {
      for (const event of events) {
        if (event.type === 'deleted') follower.delete(event.key);
        else take(follower, event.key, event.value);
      }
    },
    onEnd,
  });
}

/** What another program stored and makes no sense counts as not there: it gives nobody any rights. */
function take(follower: KindFollower, key: string, value: Buffer): void {
  try {
    follower.set(key, JSON.parse(value.toString('utf8')) as ApiObject);
  } catch {
    follower.delete(key);
  }
}
