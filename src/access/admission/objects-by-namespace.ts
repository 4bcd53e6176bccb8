import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { collectionPrefix, parseKey } from '../../registry/address.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import type { Entry, Storage, StorageEvent } from '../../storage/storage.ts';

/**
 * The objects of one kind that apply to a namespace, at hand without reading storage. Made on first use, then kept up by a watch, which storage
 * serves before it answers the writer: a write that was answered is in here. Lasts as long as the storage.
 */
export class ObjectsByNamespace<T extends ApiObject> {
  readonly #storage: Storage;
  readonly #kind: Kind<T>;
  #view: Promise<View<T>> | undefined;
  /** The view as soon as it is there. */
  #ready: View<T> | undefined;

  constructor(storage: Storage, kind: Kind<T>) {
    this.#storage = storage;
    this.#kind = kind;
  }

  /** In the order of their names. */
  in(namespace: string): readonly StoredObject<T>[] | Promise<readonly StoredObject<T>[]> {
    return this.#ready ? this.#ready.in(namespace) : this.#open(namespace);
  }

  async #open(namespace: string): Promise<readonly StoredObject<T>[]> {
    const view = await (this.#view ??= this.#follow());
    return view.in(namespace);
  }

  #follow(): Promise<View<T>> {
    // Forgotten when it cannot follow (or could not start), so that the next request starts anew.
    const forget = (): void => {
      if (this.#view === following) this.#view = this.#ready = undefined;
    };
    const following = View.open(this.#storage, this.#kind, forget);
    following.then((view) => {
      if (this.#view === following) this.#ready = view;
    }, forget);
    return following;
  }
}

class View<T extends ApiObject> {
  readonly #kind: Kind<T>;
  readonly #namespaces = new Map<string, readonly StoredObject<T>[]>();

  static async open<T extends ApiObject>(storage: Storage, kind: Kind<T>, onEnd: () => void): Promise<View<T>> {
    const view = new View(kind);
    const prefix = collectionPrefix(kind);
    const { entries, revision } = await storage.list(prefix);
    for (const entry of entries) view.#set(entry);
    await storage.watch(prefix, revision, { onEvents: (events) => view.#apply(events), onEnd });
    return view;
  }

  private constructor(kind: Kind<T>) {
    this.#kind = kind;
  }

  in(namespace: string): readonly StoredObject<T>[] {
    return this.#namespaces.get(namespace) ?? [];
  }

  #apply(events: readonly StorageEvent[]): void {
    for (const event of events) {
      if (event.type === 'deleted') this.#delete(event.key);
      else this.#set(event);
    }
  }

  #set({ key, value, revision }: Entry): void {
    const stored = new StoredObject<T>({ kind: this.#kind, key, bytes: value, revision });
    const others = this.#others(key);
    this.#namespaces.set(
      this.#namespaceOf(key),
      [...others, stored].sort((a, b) => (a.key < b.key ? -1 : 1)),
    );
  }

  #delete(key: string): void {
    const others = this.#others(key);
    if (others.length > 0) this.#namespaces.set(this.#namespaceOf(key), others);
    else this.#namespaces.delete(this.#namespaceOf(key));
  }

  #others(key: string): StoredObject<T>[] {
    return this.in(this.#namespaceOf(key)).filter((stored) => stored.key !== key);
  }

  #namespaceOf(key: string): string {
    return parseKey(this.#kind, key).namespace;
  }
}
