import type { Clock, Timer } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { closed, compacted, unavailable } from '../errors.ts';
import type { HistoryBounds, StorageEvent } from '../storage.ts';
import { WatchSet } from '../watch-set.ts';
import { ownRevision } from './empty-revision.ts';
import type { EtcdClient } from './etcd-client.ts';
import type { WatchEvent, WatchResponse } from './etcd-responses.ts';
import { eventsIn, PreviousForgotten } from './events.ts';
import { FollowedHistory } from './followed-history.ts';
import { GrpcError, grpcCodes } from './grpc-error.ts';
import type { GrpcStream } from './grpc-stream.ts';
import type { KeySpace } from './key-space.ts';
import { Reached } from './reached.ts';

export interface FollowerOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly bounds: HistoryBounds;
  /** What the age of history is measured with. */
  readonly clock: Clock;
  /** What waiting is measured with. */
  readonly networkClock: Clock;
  readonly timeoutMs: number;
}

const firstPauseMs = 20;
const longestPauseMs = 1_000;

/**
 * Hears of every change in etcd, in order, and tells the watches. It watches all keys and not only the storage's own: every revision changes some key,
 * so that hearing of one means having heard of all before, without relying on progress notifications, which older releases of etcd 3.4 and 3.5 may send ahead
 * of events. A connection that breaks is made anew and goes on behind the last revision that was heard of.
 */
export class Follower {
  readonly watches = new WatchSet();
  readonly #options: FollowerOptions;
  readonly #reached: Reached;
  #history: FollowedHistory;
  #stream: GrpcStream | undefined;
  #pauseMs = firstPauseMs;
  #pause: Timer | undefined;
  #closed = false;
  #startingAnew: Promise<void> | undefined;
  /** The last of the reads of older history, which go one after the other. */
  #extending: Promise<void> = Promise.resolve();

  /** Fails with a `GrpcError` when etcd cannot be reached. */
  static async start(options: FollowerOptions): Promise<Follower> {
    const follower = new Follower(options, await options.client.revision());
    void follower.#connect();
    return follower;
  }

  private constructor(options: FollowerOptions, revision: number) {
    const { networkClock, bounds, clock } = options;
    this.#options = options;
    this.#reached = new Reached(networkClock, revision);
    this.#history = new FollowedHistory(bounds, ownRevision(revision), clock.now());
    this.#history.trim(revision, clock.now());
  }

  /** The watches have heard of everything up to here. */
  get revision(): number {
    return this.#reached.revision;
  }

  get history(): FollowedHistory {
    return this.#history;
  }

  /** Resolves once the watches have heard of everything up to `revision`. */
  async hearing(revision: number): Promise<void> {
    const { timeoutMs } = this.#options;
    if (this.#closed) throw closed();
    await this.#reached.wait(revision, timeoutMs, () => {
      const error = new GrpcError(grpcCodes.deadlineExceeded, `no news of revision ${revision} in time`);
      this.#stream?.cancel(error);
      return unavailable('etcd does not tell what happens (what was asked for may have been done)', error);
    });
  }

  /** Reads history that is older than what is at hand, back to the revision `after`; fails with `Compacted` when etcd forgot it. */
  extendBack(after: number): Promise<void> {
    const extending = this.#extending.then(() => this.#extend(after));
    this.#extending = extending.catch(() => {});
    return extending;
  }

  /** For an etcd that is no longer where it was, as after going back to a backup. */
  startAnew(): Promise<void> {
    this.#startingAnew ??= this.#restart().finally(() => (this.#startingAnew = undefined));
    return this.#startingAnew;
  }

  close(): void {
    this.#closed = true;
    this.#pause?.cancel();
    this.#stream?.cancel(new GrpcError(grpcCodes.unavailable, 'the storage is closed'));
    this.#reached.fail(closed());
    this.watches.endAll();
  }

  async #restart(): Promise<void> {
    const { client, bounds, clock } = this.#options;
    const revision = await client.revision();
    const error = compacted(this.revision, revision);
    this.#history = new FollowedHistory(bounds, ownRevision(revision), clock.now());
    this.#history.compact(revision);
    this.#reached.restart(revision, unavailable('etcd lost what it had told', error));
    this.watches.endAll(error);
    this.#stream?.cancel(new GrpcError(grpcCodes.unavailable, 'etcd starts anew'));
  }

  async #connect(): Promise<void> {
    let isLost = false;
    const heard = this.revision;
    try {
      const stream = await this.#options.client.watch(heard + 1, {
        onResponse: (response) => {
          // A stream that was given up may still have something on its way.
          if (this.#stream !== stream) return;
          this.#pauseMs = firstPauseMs;
          isLost = response.compactRevision > 0 || !this.#take(response);
          const reason = isLost ? 'history is forgotten' : response.cancelReason;
          if (isLost || response.canceled) stream.cancel(new GrpcError(grpcCodes.unavailable, reason));
        },
        onEnd: () => {
          if (this.#stream === stream) this.#stream = undefined;
          void this.#again(isLost);
        },
      });
      this.#stream = stream;
      // While the connection was made, another beginning may have been found.
      const isOutdated = this.#closed || this.revision !== heard;
      if (isOutdated) stream.cancel(new GrpcError(grpcCodes.unavailable, 'the storage is closed, or begins anew'));
    } catch {
      // Whoever waits is told so when the time for it is over.
      void this.#again(isLost);
    }
  }

  async #again(isLost: boolean): Promise<void> {
    if (isLost) await this.startAnew().catch(() => {});
    if (this.#closed) return;
    this.#pause = this.#options.networkClock.after(this.#pauseMs, () => void this.#connect());
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }

  /** Tells the watches; false when it is no longer known what happened. */
  #take({ events: all }: WatchResponse): boolean {
    const newest = all.at(-1)?.keyValue.modRevision;
    if (newest === undefined || newest <= this.revision) return true;
    const events = this.#eventsOf(all.filter(({ keyValue }) => keyValue.modRevision > this.revision));
    if (!events) return false;
    this.#history.append(events, newest, this.#options.clock.now());
    if (events.length > 0) this.watches.publish(events);
    this.#reached.advance(newest);
    return true;
  }

  #eventsOf(events: readonly WatchEvent[]): StorageEvent[] | undefined {
    try {
      return eventsIn(this.#options.keys, events);
    } catch (error) {
      if (error instanceof PreviousForgotten) return undefined;
      throw error;
    }
  }

  async #extend(after: number): Promise<void> {
    const history = this.#history;
    const until = history.floor;
    if (after >= until) return;
    const events = await this.#read(after, until);
    // It may have been begun anew, or have been trimmed, meanwhile.
    if (history !== this.#history) return;
    const missing = events.filter(({ revision }) => revision <= until);
    if (history.floor === until) history.prepend(missing, after, this.#options.clock.now());
  }

  /** The events after one revision and up to another. */
  async #read(after: number, until: number): Promise<StorageEvent[]> {
    const { client, keys, networkClock, timeoutMs } = this.#options;
    const done = deferred<void>();
    const events: StorageEvent[] = [];
    const stream = await client.watch(after + 1, {
      onResponse(response) {
        if (response.compactRevision > 0) return done.reject(compacted(after, response.compactRevision));
        try {
          events.push(...eventsIn(keys, response.events));
        } catch (error) {
          return done.reject(error instanceof PreviousForgotten ? compacted(after, until) : error);
        }
        if ((response.events.at(-1)?.keyValue.modRevision ?? 0) >= until) done.resolve();
      },
      onEnd: (error) => done.reject(error ?? new GrpcError(grpcCodes.unavailable, 'etcd ended a watch')),
    });
    const late = new GrpcError(grpcCodes.deadlineExceeded, 'reading older history takes too long');
    const timer = networkClock.after(timeoutMs * 6, () => stream.cancel(late));
    try {
      await done.promise;
      return events;
    } finally {
      timer.cancel();
      stream.cancel(new GrpcError(grpcCodes.unavailable, 'all is read'));
    }
  }
}
