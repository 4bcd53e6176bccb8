import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { Index } from './informer.ts';
import { keyOf } from './object-name.ts';

type ReadValues<T> = (object: T) => readonly string[];

/** Objects by key, and by what indexes read out of them. */
export class ObjectStore<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<ReadValues<T>, StoreIndex<T>>();

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  get keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.index(namespaces).get(namespace);
  }

  set(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.replace(key, old, object);
  }

  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (!old) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.replace(key, old, undefined);
    return old;
  }

  index(read: ReadValues<T>): Index<T> {
    let index = this.#indexes.get(read);
    if (!index) {
      index = new StoreIndex(read);
      for (const [key, object] of this.#objects) index.replace(key, undefined, object);
      this.#indexes.set(read, index);
    }
    return index;
  }
}

function namespaces({ metadata }: ApiObject): readonly string[] {
  return [metadata.namespace ?? ''];
}

class StoreIndex<T extends ApiObject> implements Index<T> {
  readonly #read: ReadValues<T>;
  readonly #byValue = new Map<string, Map<string, T>>();

  constructor(read: ReadValues<T>) {
    this.#read = read;
  }

  get(value: string): readonly T[] {
    return [...(this.#byValue.get(value)?.values() ?? [])];
  }

  replace(key: string, old: T | undefined, object: T | undefined): void {
    const before = old ? this.#read(old) : [];
    const now = object ? this.#read(object) : [];
    for (const value of before) {
      if (!now.includes(value)) this.#remove(value, key);
    }
    for (const value of now) this.#put(value, key, object!);
  }

  #put(value: string, key: string, object: T): void {
    let objects = this.#byValue.get(value);
    if (!objects) this.#byValue.set(value, (objects = new Map<string, T>()));
    objects.set(key, object);
  }

  #remove(value: string, key: string): void {
    const objects = this.#byValue.get(value);
    objects?.delete(key);
    if (objects?.size === 0) this.#byValue.delete(value);
  }
}
