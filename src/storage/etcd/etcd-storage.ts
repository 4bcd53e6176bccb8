import { every, type Clock, type Timer } from '../../base/clock.ts';
import { checkLimit, checkReadable, checkWatchable } from '../checks.ts';
import { closed, compacted, conflict, exists, futureRevision, notFound } from '../errors.ts';
import { checkKey, checkText, isTooLong } from '../keys.ts';
import { defaultHistoryBounds } from '../storage.ts';
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
import { asBuffer, type Write } from '../write.ts';
import { emptyRevision, ownRevision } from './empty-revision.ts';
import { EtcdClient } from './etcd-client.ts';
import type { KeyRange, RangeRequest } from './etcd-requests.ts';
import type { KeyValue, RangeResponse } from './etcd-responses.ts';
import { entryOf } from './events.ts';
import { Follower } from './follower.ts';
import { GrpcChannel, type TlsFiles } from './grpc-channel.ts';
import { GrpcError, grpcCodes } from './grpc-error.ts';
import { KeySpace } from './key-space.ts';
import { SharedRead } from './shared-read.ts';
import { translateError } from './translate-error.ts';

export interface EtcdStorageOptions {
  /** Members of one etcd, all equally good. */
  readonly endpoints: readonly URL[];
  readonly tls?: TlsFiles;
  /** Stands before every key in etcd; nothing when absent. */
  readonly prefix?: string;
  readonly clock: Clock;
  /** What connections and waiting are timed with; `clock` when absent. */
  readonly networkClock?: Clock;
  readonly history?: HistoryBounds;
  /** How long a call may take before it fails with `Unavailable`. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 5_000;
/** How often etcd is told to forget what is beyond the bounds. */
const compactionMs = 5 * 60_000;
/** Entries that are read at once, so that no answer grows beyond measure. */
const partSize = 2_000;

/** Connects to an etcd (its API of version 3); fails with `Unavailable` when it cannot be reached. */
export async function openEtcdStorage(options: EtcdStorageOptions): Promise<EtcdStorage> {
  const { endpoints, tls, clock, networkClock = clock, timeoutMs = usualTimeoutMs } = options;
  const { history: bounds = defaultHistoryBounds } = options;
  const channel = new GrpcChannel({ endpoints, tls, clock: networkClock });
  const client = new EtcdClient(channel, networkClock, timeoutMs);
  const keys = new KeySpace(options.prefix);
  try {
    const follower = await Follower.start({ client, keys, bounds, clock, networkClock, timeoutMs });
    return new EtcdStorage({ client, keys, follower, clock });
  } catch (error) {
    client.close();
    throw translateError(error);
  }
}

interface EtcdStorageParts {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly follower: Follower;
  readonly clock: Clock;
}

/**
 * A storage that several servers may have open at once. A call is answered only when the watches of this process have heard of everything that the
 * answer knows of: state that is kept up by a watch is never behind what was read or written here.
 */
export class EtcdStorage implements Storage {
  readonly #client: EtcdClient;
  readonly #keys: KeySpace;
  readonly #follower: Follower;
  readonly #clock: Clock;
  readonly #newest: SharedRead<number>;
  readonly #compaction: Timer;
  /** The last write of each key that is under way: writes of one key go one after the other. */
  readonly #writing = new Map<string, Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ client, keys, follower, clock }: EtcdStorageParts) {
    this.#client = client;
    this.#keys = keys;
    this.#follower = follower;
    this.#clock = clock;
    this.#newest = new SharedRead(() => this.#heard(() => client.revision(), Number));
    this.#compaction = every(clock, compactionMs, () => void this.#compactBounds());
  }

  async revision(): Promise<number> {
    this.#checkOpen();
    return ownRevision(await this.#newest.get());
  }

  async get(key: string, { revision }: ReadOptions = {}): Promise<Entry | undefined> {
    this.#checkOpen();
    this.#checkRemembered(revision);
    if (key === '' || isTooLong(key) || !key.isWellFormed()) return undefined;
    const { keyValues } = await this.#range({ start: this.#keys.toEtcd(key) }, revision);
    return keyValues[0] && entryOf(key, keyValues[0]);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Listing> {
    this.#checkOpen();
    checkText('prefix', prefix);
    checkLimit(options.limit);
    this.#checkRemembered(options.revision);
    const range = this.#keys.under(prefix, options.after);
    // Where there can be nothing, the revision is still asked for.
    if (!range)
      return { ...(await this.#list(this.#keys.under('')!, { ...options, limit: 1 })), entries: [], remaining: 0 };
    return this.#list(range, options);
  }

  create(key: string, value: Uint8Array): Promise<Written> {
    return this.#write({ type: 'create', key, value: asBuffer(value) });
  }

  update(key: string, value: Uint8Array, expected: number): Promise<Written> {
    return this.#write({ type: 'update', key, value: asBuffer(value), expected });
  }

  delete(key: string, expected: number): Promise<Written> {
    return this.#write({ type: 'delete', key, expected });
  }

  async watch(prefix: string, after: number, listener: WatchListener): Promise<StorageWatch> {
    this.#checkOpen();
    checkText('prefix', prefix);
    this.#checkRemembered(after);
    await this.#newest.get();
    for (;;) {
      this.#checkOpen();
      const { history, revision, watches } = this.#follower;
      checkWatchable({ revision, compacted: history.forgotten }, after);
      if (after >= history.floor) {
        const past = history.since(after).filter((event) => event.key.startsWith(prefix));
        return watches.open({ prefix, after, upTo: revision, past, listener });
      }
      // Etcd itself would start a watch at the oldest revision that it knows, without what stood there before.
      await this.#range({ ...this.#keys.under('')!, limit: 1, keysOnly: true }, after);
      await this.#follower.extendBack(after).catch((error: unknown) => this.#rethrow(error));
    }
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    const newest = await this.revision();
    checkReadable({ revision: newest, compacted: 0 }, revision);
    if (revision > 0) await this.#compactEtcd(revision);
    this.#follower.history.compact(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#compaction.cancel();
    await Promise.allSettled(this.#writing.values());
    this.#follower.close();
    this.#client.close();
  }

  async #list(range: KeyRange, { limit, revision }: ListOptions): Promise<Listing> {
    const entries: Entry[] = [];
    let { start } = range;
    let at = revision;
    for (;;) {
      const part = Math.min(partSize, (limit ?? Infinity) - entries.length);
      const { keyValues, count, revision: newest } = await this.#range({ ...range, start, limit: part }, at);
      at ??= ownRevision(newest);
      for (const keyValue of keyValues) entries.push(entryOf(this.#keys.fromEtcd(keyValue.key)!, keyValue));
      const remaining = count - keyValues.length;
      const last = keyValues.at(-1);
      if (!last || remaining <= 0 || entries.length === limit) return { entries, revision: at, remaining };
      start = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  /** Reads, once the watches know what the answer knows. */
  async #range(request: RangeRequest, revision: number | undefined): Promise<RangeResponse> {
    try {
      // Nothing was there at the revision of an empty etcd, whatever came later.
      const at = revision === undefined ? undefined : Math.max(revision, emptyRevision);
      return await this.#heard(() => this.#client.range({ ...request, revision: at }), revisionOf);
    } catch (error) {
      if (revision === undefined || !isOutOfRange(error)) throw error;
      const newest = await this.revision();
      throw revision > newest
        ? futureRevision(revision, newest)
        : compacted(revision, this.#follower.history.forgotten);
    }
  }

  async #write(write: Write): Promise<Written> {
    this.#checkOpen();
    checkKey(write.key);
    const before = this.#writing.get(write.key);
    const writing = before ? before.then(() => this.#commit(write)) : this.#commit(write);
    const settled = writing.catch(() => {});
    this.#writing.set(write.key, settled);
    try {
      return await writing;
    } finally {
      if (this.#writing.get(write.key) === settled) this.#writing.delete(write.key);
    }
  }

  async #commit(write: Write): Promise<Written> {
    const { key } = write;
    const expected = write.type === 'create' ? 0 : write.expected;
    // 0 stands for a key that is not there, so that it must not come from a caller.
    const isPossible = write.type === 'create' || (Number.isSafeInteger(expected) && expected > 0);
    if (!isPossible) throw refusal(write, await this.#present(key));
    const value = write.type === 'delete' ? undefined : write.value;
    const change = { key: this.#keys.toEtcd(key), expected, value };
    const { succeeded, revision, present } = await this.#heard(() => this.#client.change(change), revisionOf);
    if (!succeeded) throw refusal(write, present);
    return { revision };
  }

  async #present(key: string): Promise<KeyValue | undefined> {
    return (await this.#range({ start: this.#keys.toEtcd(key) }, undefined)).keyValues[0];
  }

  /** Makes a call and waits until the watches have heard of all that its answer may know of. */
  async #heard<T>(call: () => Promise<T>, revisionOfAnswer: (answer: T) => number): Promise<T> {
    const before = this.#follower.revision;
    try {
      const answer = await call();
      const revision = revisionOfAnswer(answer);
      if (revision < before) await this.#follower.startAnew();
      await this.#follower.hearing(revision);
      return answer;
    } catch (error) {
      if (isOutOfRange(error)) throw error;
      return this.#rethrow(error);
    }
  }

  #rethrow(error: unknown): never {
    throw this.#closing && error instanceof GrpcError ? closed() : translateError(error);
  }

  async #compactEtcd(revision: number): Promise<void> {
    try {
      await this.#client.compact(revision);
    } catch (error) {
      // Somebody else was there first: it is forgotten already.
      if (!isOutOfRange(error)) throw translateError(error);
    }
  }

  /** Every server does so: whoever is first does it, and the others find it done. */
  async #compactBounds(): Promise<void> {
    const { history, revision } = this.#follower;
    history.trim(revision, this.#clock.now());
    // Where that fails, the next one does it too.
    if (history.forgotten > emptyRevision) await this.#compactEtcd(history.forgotten).catch(() => {});
  }

  #checkRemembered(revision: number | undefined): void {
    const { history } = this.#follower;
    if (revision !== undefined) checkWatchable({ revision, compacted: history.forgotten }, revision);
  }

  #checkOpen(): void {
    if (this.#closing) throw closed();
  }
}

function revisionOf({ revision }: { readonly revision: number }): number {
  return revision;
}

function isOutOfRange(error: unknown): boolean {
  return error instanceof GrpcError && error.code === grpcCodes.outOfRange;
}

function refusal(write: Write, present: KeyValue | undefined): Error {
  if (write.type === 'create') return exists(write.key);
  return present ? conflict(write.key, write.expected, present.modRevision) : notFound(write.key);
}
