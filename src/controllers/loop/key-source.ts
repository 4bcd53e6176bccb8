import { keyOf } from '../../client/object-name.ts';
import type { Informer } from '../../client/informer.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** Something that makes a controller look at keys. */
export interface KeySource {
  /** Resolves when the keys of what is there at the beginning were given. */
  readonly synced: Promise<void>;
  /** Returns what ends it. */
  subscribe(enqueue: (key: string) => void): () => void;
}

/** Every change of an object: look at that object. */
export function changesOf<T extends ApiObject>(informer: Informer<T>): KeySource {
  return changesMapped(informer, (object) => [keyOf(object)]);
}

/** Every change of an object: look at what the object as it was and as it is leads to. */
export function changesMapped<T extends ApiObject>(
  informer: Informer<T>,
  toKeys: (object: T) => Iterable<string>,
): KeySource {
  return {
    synced: informer.synced,
    subscribe(enqueue) {
      const give = (object: T): void => {
        for (const key of toKeys(object)) enqueue(key);
      };
      return informer.on({
        added: give,
        updated(old, object) {
          give(old);
          give(object);
        },
        deleted: give,
      });
    },
  };
}

/** One key at the start, for controllers that look at everything at once; `reconcile` asks to be called again. */
export function startingWith(key: string): KeySource {
  return {
    synced: Promise.resolve(),
    subscribe(enqueue) {
      enqueue(key);
      return () => {};
    },
  };
}
