import { RecentMap } from '../../base/recent-map.ts';
import { compareKeys, isTooLong, maxKeyBytes } from '../keys.ts';
import { differences, listPast } from '../past.ts';
import type { PastChange } from '../past.ts';
import type { Entry, Listing, ListOptions, StorageEvent } from '../storage.ts';
import { Continuations } from './continuations.ts';
import type { Database, RangeOptions, ReadTransaction, TextKey } from './database.ts';
import { decodeRecord, keyOfRecord, timeOfRecord } from './history-record.ts';
import type { HistoryRecord } from './history-record.ts';
import { isCounted, readCount } from './key-counts.ts';
import { copyApart, Slab } from './slab.ts';
import { readState } from './state.ts';
import type { State } from './state.ts';

/** What the snapshots of one storage have in common. */
interface Shared {
  readonly database: Database;
  readonly slab: Slab;
  readonly continuations: Continuations;
  /** Entries of the newest state that were read or written lately. Only that state is ever asked for single entries. */
  readonly recent: RecentMap<string, Entry>;
  /** How many keys there are in the newest state, by directory; those that were written into lately. */
  readonly counts: RecentMap<string, number>;
  /** The history record that was asked about last. */
  readonly asked: { revision: number; figures?: RecordFigures };
}

interface RecordFigures {
  readonly bytes: number;
  readonly time: number;
}

/** What entries that are kept at hand may take in memory. */
const mostRecentBytes = 8 * 1024 * 1024;
/** What an entry takes besides its value. */
const entryBytes = 256;

const mostCounts = 4000;

function newShared(database: Database): Shared {
  return {
    database,
    slab: new Slab(),
    continuations: new Continuations(),
    recent: new RecentMap({ most: mostRecentBytes, weightOf: ({ value }) => value.length + entryBytes }),
    counts: new RecentMap({ most: mostCounts, weightOf: () => 1 }),
    asked: { revision: 0 },
  };
}

/** What a commit made of the state before. */
export interface NewState {
  readonly after: State;
  readonly events: readonly StorageEvent[];
  /** The new counts of the directories that keys were made in or deleted from. */
  readonly counts: ReadonlyMap<string, number>;
}

/** All reads of one committed state. Later commits do not show in it; LMDB keeps its pages until it is released. */
export class Snapshot {
  readonly state: State;
  readonly #shared: Shared;
  readonly #database: Database;
  readonly #transaction: ReadTransaction;

  constructor(shared: Shared, transaction: ReadTransaction, state: State) {
    this.#shared = shared;
    this.#database = shared.database;
    this.#transaction = transaction;
    this.state = state;
  }

  /** The state that is in the database now. */
  static newest(database: Database): Snapshot {
    const transaction = database.useReadTransaction();
    return new Snapshot(newShared(database), transaction, readState(database, transaction));
  }

  /** The state that a commit made; lists of this one remain possible. */
  next({ after, events, counts }: NewState): Snapshot {
    const { recent } = this.#shared;
    for (const [directory, count] of counts) this.#shared.counts.set(directory, count);
    for (const { type, key } of events) if (type !== 'created') recent.delete(key);
    return new Snapshot(this.#shared, this.#database.useReadTransaction(), after);
  }

  release(): void {
    this.#transaction.done();
  }

  get(key: string): Entry | undefined {
    const { recent } = this.#shared;
    const known = recent.get(key);
    if (known) return known;
    if (key === '' || isTooLong(key)) return undefined;
    const found = this.#database.current.getEntry(key, { transaction: this.#transaction });
    if (!found) return undefined;
    // Memory of its own: a small part of a shared piece would keep all of it.
    const entry = { key, value: copyApart(found.value), revision: found.version };
    recent.set(key, entry);
    return entry;
  }

  /** The entry as it was at a revision within history. */
  getAt(key: string, revision: number): Entry | undefined {
    const present = this.get(key);
    if (revision === this.state.revision || (present && present.revision <= revision)) return present;
    for (const { record } of this.#records({ start: revision + 1 })) {
      if (keyOfRecord(record) === key) return decodeRecord(record).previous;
    }
    return present;
  }

  /** Lists a revision within history: the newest unless the options say another. */
  list(prefix: string, options: ListOptions): Listing {
    const { revision = this.state.revision, limit, after } = options;
    const total = limit === undefined ? undefined : this.#knownTotal(prefix, revision, after);
    const isNewest = revision === this.state.revision;
    const part = isNewest ? this.#listPresent(prefix, options, total) : this.#listPast(prefix, options, total);
    const last = part.entries.at(-1);
    if (last && part.remaining > 0) {
      this.#shared.continuations.remember({ prefix, revision, after: last.key }, part.remaining);
    }
    return { ...part, revision };
  }

  /** How many keys there are in a directory. */
  count(directory: string): number {
    return this.#shared.counts.get(directory) ?? readCount(this.#database, this.#transaction, directory);
  }

  /** The events under a prefix with a revision greater than `after`, which is within history. */
  eventsSince(prefix: string, after: number): StorageEvent[] {
    const events: StorageEvent[] = [];
    const laterValues = new Map<string, Entry>();
    // From the newest back, so that the value an event brought is known from the event on the key that follows it.
    for (const { revision, record } of this.#records({ end: after, reverse: true })) {
      if (!keyOfRecord(record).startsWith(prefix)) continue;
      const past = decodeRecord(record);
      events.push(this.#eventOf(past, revision, laterValues.get(past.key)));
      if (past.previous) laterValues.set(past.key, past.previous);
    }
    return events.reverse();
  }

  /** The size and time of a history record, or nothing when it is not there. */
  recordAt(revision: number): RecordFigures | undefined {
    // Every commit asks about the oldest; records never change.
    const { asked } = this.#shared;
    if (asked.revision === revision) return asked.figures;
    const found = this.#database.history.getEntry(revision, { transaction: this.#transaction });
    if (!found) return undefined;
    asked.revision = revision;
    return (asked.figures = { bytes: found.value.length, time: timeOfRecord(asRecord(found.value)) });
  }

  #listPresent(prefix: string, options: ListOptions, total: number | undefined): ListPart {
    const entries: Entry[] = [];
    // A loop rather than a spread of the generator: this is the hottest of all reads.
    for (const found of this.#range(prefix, options)) entries.push(this.#entryOf(found));
    const last = entries.at(-1);
    if (!last || entries.length !== options.limit) return { entries, remaining: 0 };
    return { entries, remaining: total === undefined ? this.#countBehind(prefix, last.key) : total - entries.length };
  }

  #listPast(prefix: string, options: ListOptions, total: number | undefined): ListPart {
    const { revision = 0, limit, after } = options;
    const present = {
      entries: () => this.#entries(prefix, after),
      countBehind: (key: string) => this.#countBehind(prefix, key),
    };
    return listPast({ present, differences: differences(this.#changes(prefix, revision)), limit, after, total });
  }

  /** How many entries there are behind `after` in all, where that is known without walking them. */
  #knownTotal(prefix: string, revision: number, after: string | undefined): number | undefined {
    if (after !== undefined) return this.#shared.continuations.recall({ prefix, revision, after });
    return revision === this.state.revision && isCounted(prefix) ? this.count(prefix) : undefined;
  }

  #eventOf(past: HistoryRecord, revision: number, later: Entry | undefined): StorageEvent {
    const { type, key, previous } = past;
    if (type === 'deleted') return { type, key, revision, previous: previous! };
    const { value } = later ?? this.get(key)!;
    return type === 'created' ? { type, key, revision, value } : { type, key, revision, value, previous: previous! };
  }

  *#changes(prefix: string, revision: number): Iterable<PastChange> {
    for (const { record } of this.#records({ start: revision + 1 })) {
      if (!keyOfRecord(record).startsWith(prefix)) continue;
      const { type, key, previous } = decodeRecord(record);
      yield { key, previous, deleted: type === 'deleted' };
    }
  }

  /** History records; the bytes are borrowed. */
  *#records(options: Omit<RangeOptions<number>, 'transaction'>): Iterable<{ revision: number; record: Buffer }> {
    const range = this.#database.history.getRange({ ...options, transaction: this.#transaction });
    for (const { key, value } of range) yield { revision: key, record: asRecord(value) };
  }

  *#entries(prefix: string, after: string | undefined): Iterable<Entry> {
    for (const found of this.#range(prefix, { after })) yield this.#entryOf(found);
  }

  #range(prefix: string, options: ListOptions): Iterable<Found> {
    const { limit, after } = options;
    return this.#database.current.getRange({
      ...boundsOf(prefix, after),
      limit,
      versions: true,
      transaction: this.#transaction,
    });
  }

  #entryOf({ key, value, version }: Found): Entry {
    return { key: key as string, value: this.#shared.slab.copy(value), revision: version };
  }

  #countBehind(prefix: string, key: string): number {
    return this.#database.current.getKeysCount({ ...boundsOf(prefix, key), transaction: this.#transaction });
  }
}

type ListPart = Omit<Listing, 'revision'>;

interface Found {
  readonly key: TextKey;
  readonly value: Uint8Array;
  readonly version: number;
}

function asRecord(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Where the keys under a prefix (and behind `after`) begin and end. No byte of UTF-8 is 255, so that prefix and 255 is behind them all. */
function boundsOf(prefix: string, after: string | undefined): { start: TextKey; end: TextKey } {
  const isFromPrefix = after === undefined || compareKeys(after, prefix) < 0;
  const start = boundary(isFromPrefix ? prefix : `${after}\0`);
  return {
    start: start.length > 0 ? start : Buffer.from([0]),
    end: Buffer.concat([boundary(prefix), Buffer.from([255])]),
  };
}

/** The bytes of a bound. One byte more than a key can have is enough to be behind or before the same keys as the whole. */
function boundary(text: string): Buffer {
  return Buffer.from(text).subarray(0, maxKeyBytes + 1);
}
