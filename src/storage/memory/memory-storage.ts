import type { Clock } from '../../base/clock.ts';
import { checkLimit, checkReached, checkReadable, checkWatchable } from '../checks.ts';
import type { HistorySpan } from '../checks.ts';
import { closed } from '../errors.ts';
import { checkKey, checkText, compareKeys } from '../keys.ts';
import { differences, listPast } from '../past.ts';
import type { PastChange, Present } from '../past.ts';
import { defaultHistoryBounds } from '../storage.ts';
import type {
  Entry,
  HistoryBounds,
  Listing,
  ListOptions,
  ReadOptions,
  Storage,
  StorageEvent,
  StorageWatch,
  WatchListener,
  Written,
} from '../storage.ts';
import { WatchSet } from '../watch-set.ts';
import { asBuffer, entryAfter, eventOf } from '../write.ts';
import type { Write } from '../write.ts';
import { MemoryHistory } from './memory-history.ts';
import { SortedEntries } from './sorted-entries.ts';
import type { Place } from './sorted-entries.ts';

export interface MemoryStorageOptions {
  readonly clock: Clock;
  readonly history?: HistoryBounds;
}

/** A storage without a file: for tests, and for clusters that may forget. */
export function openMemoryStorage(options: MemoryStorageOptions): MemoryStorage {
  const { clock, history = defaultHistoryBounds } = options;
  const state = { revision: 0, byKey: new Map(), sorted: new SortedEntries(), history: new MemoryHistory(history) };
  return new MemoryStorage(clock, state);
}

interface MemoryState {
  revision: number;
  readonly byKey: Map<string, Entry>;
  readonly sorted: SortedEntries;
  readonly history: MemoryHistory;
}

/** Every write is a commit of its own, done before the call returns its promise. */
export class MemoryStorage implements Storage {
  readonly #clock: Clock;
  readonly #state: MemoryState;
  readonly #watches = new WatchSet();
  #closed = false;

  constructor(clock: Clock, state: MemoryState) {
    this.#clock = clock;
    this.#state = state;
  }

  /** A storage of its own that starts from this one's state and history. It shares entries, not watches. */
  fork(): MemoryStorage {
    const { revision, byKey, sorted, history } = this.#state;
    return new MemoryStorage(this.#clock, {
      revision,
      byKey: new Map(byKey),
      sorted: sorted.fork(),
      history: history.fork(),
    });
  }

  async revision(): Promise<number> {
    this.#checkOpen();
    return this.#state.revision;
  }

  async get(key: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    this.#checkOpen();
    const revision = this.#readRevision(options);
    const present = this.#state.byKey.get(key);
    if (revision === this.#state.revision || (present && present.revision <= revision)) return present;
    for (const event of this.#state.history.since(revision)) {
      if (event.key === key) return previousOf(event);
    }
    return present;
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Listing> {
    this.#checkOpen();
    checkText('prefix', prefix);
    checkLimit(options.limit);
    const revision = this.#readRevision(options);
    const { limit, after } = options;
    if (revision === this.#state.revision) return { ...this.#listPresent(prefix, limit, after), revision };
    const changed = differences(this.#changes(prefix, revision));
    return { ...listPast({ present: this.#present(prefix, after), differences: changed, limit, after }), revision };
  }

  async create(key: string, value: Uint8Array): Promise<Written> {
    return this.#write({ type: 'create', key, value: asBuffer(value) });
  }

  async update(key: string, value: Uint8Array, expected: number): Promise<Written> {
    return this.#write({ type: 'update', key, value: asBuffer(value), expected });
  }

  async delete(key: string, expected: number): Promise<Written> {
    return this.#write({ type: 'delete', key, expected });
  }

  async watch(prefix: string, after: number, listener: WatchListener): Promise<StorageWatch> {
    this.#checkOpen();
    checkText('prefix', prefix);
    checkWatchable(this.#span(), after);
    const past = [...this.#state.history.since(after)].filter((event) => event.key.startsWith(prefix));
    return this.#watches.open({ prefix, after, upTo: this.#state.revision, past, listener });
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    checkReached(this.#span(), revision);
    this.#state.history.compact(revision);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watches.endAll();
  }

  #write(write: Write): Written {
    this.#checkOpen();
    checkKey(write.key);
    const { byKey, sorted, history } = this.#state;
    const event = eventOf(write, byKey.get(write.key), this.#state.revision + 1);
    const entry = entryAfter(event);
    if (entry) {
      byKey.set(entry.key, entry);
      sorted.set(entry);
    } else {
      byKey.delete(write.key);
      sorted.delete(write.key);
    }
    this.#state.revision = event.revision;
    history.append(event, this.#clock.now());
    this.#watches.publish([event]);
    return { revision: event.revision };
  }

  #listPresent(prefix: string, limit = Infinity, after?: string): Omit<Listing, 'revision'> {
    const { sorted } = this.#state;
    const { from, to } = this.#range(prefix, after);
    const entries = sorted.slice(from, to, limit);
    return { entries, remaining: sorted.count(from, to) - entries.length };
  }

  #present(prefix: string, after: string | undefined): Present {
    const { sorted } = this.#state;
    return {
      entries: () => {
        const { from, to } = this.#range(prefix, after);
        return sorted.between(from, to);
      },
      countBehind: (key) => {
        const { from, to } = this.#range(prefix, key);
        return sorted.count(from, to);
      },
    };
  }

  #range(prefix: string, after: string | undefined): { from: Place; to: Place } {
    const { sorted } = this.#state;
    const isBefore = (key: string): boolean => compareKeys(key, prefix) < 0;
    const isUnder = (key: string): boolean => key.startsWith(prefix);
    const isDone = (key: string): boolean => after !== undefined && compareKeys(key, after) <= 0;
    return {
      from: sorted.place((key) => isBefore(key) || (isUnder(key) && isDone(key))),
      to: sorted.place((key) => isBefore(key) || isUnder(key)),
    };
  }

  *#changes(prefix: string, revision: number): Iterable<PastChange> {
    for (const event of this.#state.history.since(revision)) {
      if (!event.key.startsWith(prefix)) continue;
      yield { key: event.key, previous: previousOf(event), deleted: event.type === 'deleted' };
    }
  }

  #readRevision(options: ReadOptions): number {
    const { revision = this.#state.revision } = options;
    checkReadable(this.#span(), revision);
    return revision;
  }

  #span(): HistorySpan {
    return { revision: this.#state.revision, compacted: this.#state.history.compacted };
  }

  #checkOpen(): void {
    if (this.#closed) throw closed();
  }
}

function previousOf(event: StorageEvent): Entry | undefined {
  return event.type === 'created' ? undefined : event.previous;
}
