import { compareKeys } from '../storage/keys.ts';
import type { Entry, StorageEvent } from '../storage/storage.ts';
import { encodeEntries, encodeListParts } from './encoding.ts';
import type { ObjectList } from './list.ts';
import type { BytePart, PiecedBytes } from './pieced-bytes.ts';

interface KeptParts {
  readonly list: ObjectList;
  readonly parts: readonly BytePart[];
  readonly changes: number;
}

/** A list of a whole collection with its objects as they are sent. Never changes: what happens since makes another one. */
export class KeptList {
  readonly #list: ObjectList;
  /** One for each entry. */
  readonly #parts: readonly BytePart[];
  /** How many changes were worked in since the list was read. */
  readonly changes: number;

  private constructor({ list, parts, changes }: KeptParts) {
    this.#list = list;
    this.#parts = parts;
    this.changes = changes;
  }

  static of(list: ObjectList): KeptList {
    return new KeptList({ list, parts: encodeEntries(list.served, list.entries), changes: 0 });
  }

  /** The revision that this is the state of. */
  get revision(): number {
    return this.#list.revision;
  }

  /** The number of objects. */
  get size(): number {
    return this.#parts.length;
  }

  answer(): PiecedBytes {
    return encodeListParts(this.#list, this.#parts);
  }

  /** The list at a later revision, given everything that happened in the collection in between, in order. */
  after(events: readonly StorageEvent[], revision: number): KeptList {
    const entries = [...this.#list.entries];
    const parts = [...this.#parts];
    for (const event of events) {
      const at = placeOf(event.key, entries);
      const isThere = entries[at]?.key === event.key ? 1 : 0;
      const now = event.type === 'deleted' ? [] : [{ key: event.key, value: event.value, revision: event.revision }];
      entries.splice(at, isThere, ...now);
      parts.splice(at, isThere, ...encodeEntries(this.#list.served, now));
    }
    const list = { ...this.#list, entries, revision };
    return new KeptList({ list, parts, changes: this.changes + events.length });
  }
}

/** The index of the first entry that is not before the key. */
function placeOf(key: string, entries: readonly Entry[]): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(entries[middle]!.key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
