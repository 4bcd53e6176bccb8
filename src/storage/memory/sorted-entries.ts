import { compareKeys } from '../keys.ts';
import type { Entry } from '../storage.ts';

/** A place between entries: before the one at `index` of `chunk`. */
export interface Place {
  readonly chunk: number;
  readonly index: number;
}

const chunkSize = 512;

/**
 * Entries in byte order of keys, in chunks of bounded size, so that an insert among a million moves a few hundred pointers.
 * No chunk but the only one is empty.
 */
export class SortedEntries {
  readonly #chunks: Entry[][];

  constructor(chunks: Entry[][] = [[]]) {
    this.#chunks = chunks;
  }

  /** A copy that shares the entries. */
  fork(): SortedEntries {
    return new SortedEntries(this.#chunks.map((chunk) => chunk.slice()));
  }

  /** Puts an entry in, in place of one with the same key. */
  set(entry: Entry): void {
    const place = this.#placeOf(entry.key);
    const chunk = this.#chunks[place.chunk]!;
    const isThere = chunk[place.index]?.key === entry.key;
    chunk.splice(place.index, isThere ? 1 : 0, entry);
    if (chunk.length > chunkSize) this.#chunks.splice(place.chunk + 1, 0, chunk.splice(chunkSize / 2));
  }

  delete(key: string): void {
    const place = this.#placeOf(key);
    const chunk = this.#chunks[place.chunk]!;
    if (chunk[place.index]?.key !== key) return;
    chunk.splice(place.index, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(place.chunk, 1);
  }

  /** The place before the first entry whose key `isBefore` is false for; it must be true for all keys up to some point and for none behind. */
  place(isBefore: (key: string) => boolean): Place {
    const chunk = partition(this.#chunks.length - 1, (index) => isBefore(this.#chunks[index]!.at(-1)!.key));
    const entries = this.#chunks[chunk]!;
    return { chunk, index: partition(entries.length, (index) => isBefore(entries[index]!.key)) };
  }

  *between(from: Place, to: Place): Iterable<Entry> {
    for (let chunk = from.chunk; chunk <= to.chunk; chunk++) {
      const entries = this.#chunks[chunk]!;
      const start = chunk === from.chunk ? from.index : 0;
      const end = chunk === to.chunk ? to.index : entries.length;
      for (let index = start; index < end; index++) yield entries[index]!;
    }
  }

  /** As `between`, as an array of at most `limit`. */
  slice(from: Place, to: Place, limit: number): Entry[] {
    const found: Entry[] = [];
    for (let chunk = from.chunk; chunk <= to.chunk && found.length < limit; chunk++) {
      const entries = this.#chunks[chunk]!;
      const start = chunk === from.chunk ? from.index : 0;
      const end = Math.min(chunk === to.chunk ? to.index : entries.length, start + limit - found.length);
      for (let index = start; index < end; index++) found.push(entries[index]!);
    }
    return found;
  }

  count(from: Place, to: Place): number {
    let count = to.index - from.index;
    for (let chunk = from.chunk; chunk < to.chunk; chunk++) count += this.#chunks[chunk]!.length;
    return Math.max(0, count);
  }

  #placeOf(key: string): Place {
    return this.place((other) => compareKeys(other, key) < 0);
  }
}

/** The first index below `length` that `isBefore` is false for, or `length`. */
function partition(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
