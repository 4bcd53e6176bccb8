import { mkdir } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { checkLimit, checkReached, checkReadable, checkWatchable } from '../checks.ts';
import { closed, unavailable } from '../errors.ts';
import { checkKey, checkText } from '../keys.ts';
import { defaultHistoryBounds, StorageError } from '../storage.ts';
import type {
  Entry,
  HistoryBounds,
  Listing,
  ListOptions,
  ReadOptions,
  Storage,
  StorageWatch,
  WatchListener,
  Written,
} from '../storage.ts';
import { WatchSet } from '../watch-set.ts';
import { asBuffer } from '../write.ts';
import type { Write } from '../write.ts';
import { Committer } from './committer.ts';
import { openDatabase } from './database.ts';
import type { Database } from './database.ts';
import { claimDirectory } from './owner-file.ts';
import type { Ownership } from './owner-file.ts';
import { Snapshot } from './snapshot.ts';

export interface LmdbStorageOptions {
  /** The directory of the database; made when it is not there. One process at a time has it open. */
  readonly path: string;
  readonly clock: Clock;
  readonly history?: HistoryBounds;
}

/** Opens a storage on disk. Fails with `Unavailable` when the directory is in use, holds something else or cannot be written. */
export async function openLmdbStorage(options: LmdbStorageOptions): Promise<LmdbStorage> {
  const { path, clock, history = defaultHistoryBounds } = options;
  let ownership: Ownership | undefined;
  let database: Database | undefined;
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    ownership = await claimDirectory(path);
    database = await openDatabase(path);
    return new LmdbStorage({ database, ownership, snapshot: Snapshot.newest(database), clock, bounds: history });
  } catch (error) {
    await database?.close();
    await ownership?.release();
    throw error instanceof StorageError ? error : unavailable(`cannot open the storage in ${path}`, error);
  }
}

interface OpenParts {
  readonly database: Database;
  readonly ownership: Ownership;
  readonly snapshot: Snapshot;
  readonly clock: Clock;
  readonly bounds: HistoryBounds;
}

/**
 * Reads look at the newest snapshot in their own turn; writes go through the committer. A snapshot is replaced in the same turn in which
 * watches hear of the commit, so that no read is ahead of them.
 */
export class LmdbStorage implements Storage {
  readonly #database: Database;
  readonly #ownership: Ownership;
  readonly #committer: Committer;
  readonly #watches = new WatchSet();
  #closing: Promise<void> | undefined;

  constructor(parts: OpenParts) {
    this.#database = parts.database;
    this.#ownership = parts.ownership;
    this.#committer = new Committer({ ...parts, onCommitted: (events) => this.#watches.publish(events) });
  }

  async revision(): Promise<number> {
    return this.#snapshot().state.revision;
  }

  async get(key: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    const snapshot = this.#snapshot();
    const { revision } = options;
    if (revision === undefined) return snapshot.get(key);
    checkReadable(snapshot.state, revision);
    return snapshot.getAt(key, revision);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Listing> {
    const snapshot = this.#snapshot();
    checkText('prefix', prefix);
    checkLimit(options.limit);
    if (options.revision !== undefined) checkReadable(snapshot.state, options.revision);
    return snapshot.list(prefix, options);
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
    const snapshot = this.#snapshot();
    checkText('prefix', prefix);
    checkWatchable(snapshot.state, after);
    const past = snapshot.eventsSince(prefix, after);
    return this.#watches.open({ prefix, after, upTo: snapshot.state.revision, past, listener });
  }

  async compact(revision: number): Promise<void> {
    checkReached(this.#snapshot().state, revision);
    await this.#committer.submit({ type: 'compact', revision });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#committer.stop();
    this.#watches.endAll();
    this.#committer.snapshot.release();
    await this.#database.close();
    await this.#ownership.release();
  }

  #write(write: Write): Promise<Written> {
    this.#snapshot();
    checkKey(write.key);
    return this.#committer.submit(write);
  }

  #snapshot(): Snapshot {
    if (this.#closing) throw closed();
    return this.#committer.snapshot;
  }
}
