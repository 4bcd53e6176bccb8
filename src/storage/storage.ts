/**
 * Revisioned keys and bytes: all that the rest of the project knows of a database. Shaped like etcd, because etcd is one of its makes.
 *
 * A revision is a positive integer that grows by at least one with every committed write; every write has its own. An answered write is
 * durable where the make is. Writes of one key take effect in the order in which they are started. Reads see every write that was answered
 * before they began. Values are never changed in place: neither side may write into a buffer that it handed over.
 *
 * Keys are well-formed text of 1 to 1,024 bytes in UTF-8. Arguments that no caller in order passes (another key, a revision that is no whole
 * number, a limit below one) fail with a `RangeError`; `get` and `list` simply find nothing under a key or prefix that is too long.
 */
export interface Storage {
  /** The revision of the newest committed write (0 when there never was one). */
  revision(): Promise<number>;

  get(key: string, options?: ReadOptions): Promise<Entry | undefined>;

  /** Entries whose key starts with `prefix`, in byte order of keys. */
  list(prefix: string, options?: ListOptions): Promise<Listing>;

  /** Fails with `Exists` when the key is there, and with `TooLarge` when the make has a bound that the value is beyond. */
  create(key: string, value: Uint8Array): Promise<Written>;

  /** Fails with `NotFound`, with `Conflict` when the entry's revision is not `expected`, or with `TooLarge`. */
  update(key: string, value: Uint8Array, expected: number): Promise<Written>;

  /** As `update`. The entry that was there is in the event that watchers get. */
  delete(key: string, expected: number): Promise<Written>;

  /**
   * Every change under `prefix` with a revision greater than `after`, in order, none missing and none twice. Fails with `Compacted` when history
   * no longer reaches back that far, at once. Ends when `close` is called or the storage closes. Several watches on one prefix are independent.
   * What history holds is delivered before the promise resolves. `after` may be a revision yet to come.
   */
  watch(prefix: string, after: number, listener: WatchListener): Promise<StorageWatch>;

  /**
   * Forgets history at or before `revision`: reads at and watches after an older revision then fail with `Compacted`; at `revision` itself
   * they still work. Fails with `FutureRevision` when it is not there yet, and does nothing when it is forgotten already.
   */
  compact(revision: number): Promise<void>;

  /** Finishes writes under way, ends all watches, frees everything. Later calls fail with `Closed`; closing again does nothing. */
  close(): Promise<void>;
}

export interface Entry {
  readonly key: string;
  readonly value: Buffer;
  /** Revision of the write that made this value. */
  readonly revision: number;
}

export interface ReadOptions {
  /** Read as it was at this revision; `Compacted` when that is forgotten, `FutureRevision` when it is not there yet. */
  readonly revision?: number;
}

export interface ListOptions extends ReadOptions {
  /** At most this many entries; all when absent. */
  readonly limit?: number;
  /** Start behind this key: the last key of the part before. */
  readonly after?: string;
}

export interface Listing {
  readonly entries: readonly Entry[];
  /** The revision that this is the state of. */
  readonly revision: number;
  /** How many entries under the prefix follow behind the last one given. */
  readonly remaining: number;
}

export interface Written {
  readonly revision: number;
}

/** One committed change. `previous` is what stood under the key before. */
export type StorageEvent =
  | { readonly type: 'created'; readonly key: string; readonly revision: number; readonly value: Buffer }
  | {
      readonly type: 'updated';
      readonly key: string;
      readonly revision: number;
      readonly value: Buffer;
      readonly previous: Entry;
    }
  | { readonly type: 'deleted'; readonly key: string; readonly revision: number; readonly previous: Entry };

export interface WatchListener {
  /**
   * Called with the changes of one commit, in order, as soon as it is durable and before the writer hears of it. Must return quickly and
   * not throw: a listener that cannot follow buffers within bounds of its own and closes its watch.
   */
  onEvents(events: readonly StorageEvent[]): void;
  /** Called once when the watch ends other than by its own `close`; without an error when the storage closes. */
  onEnd(error?: StorageError): void;
}

export interface StorageWatch {
  close(): void;
}

/** How much history is kept: whatever bound is reached first. */
export interface HistoryBounds {
  readonly count: number;
  readonly bytes: number;
  readonly ageMs: number;
}

export const defaultHistoryBounds: HistoryBounds = { count: 100_000, bytes: 256 * 1024 * 1024, ageMs: 60 * 60 * 1000 };

export type StorageErrorCode =
  'Exists' | 'NotFound' | 'Conflict' | 'TooLarge' | 'Compacted' | 'FutureRevision' | 'Unavailable' | 'Closed';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
