import type { Clock, Timer } from '../base/clock.ts';
import { deferred, type Deferred } from '../base/deferred.ts';
import { backoffMs, type BackoffBounds } from './backoff.ts';
import { TokenBucket, type Rate } from './token-bucket.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Does the work for one key. Must not reject: what to do about failures is the worker's decision. */
  work(key: string): Promise<void>;
  /** How many keys are worked on at the same time; 1 when absent. */
  readonly parallel?: number;
  /** How long `addRateLimited` waits, by how often it was called for the key. */
  readonly backoff?: BackoffBounds;
  /** How often `addRateLimited` adds anything, over all keys. */
  readonly rate?: Rate;
}

const usualBackoff: BackoffBounds = { firstMs: 5, longestMs: 5 * 60_000 };
const usualRate: Rate = { perSecond: 10, burst: 100 };

/**
 * Keys that wait for work. A key is waiting at most once and never worked on twice at the same time: one that is added while it is worked on is
 * worked on once more afterwards.
 *
 * A key is in one of these states: absent -> waiting (add) -> working -> absent, or -> working again (added meanwhile). Besides, it may be
 * delayed until a moment, which then adds it.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #parallel: number;
  readonly #backoff: BackoffBounds;
  readonly #bucket: TokenBucket;
  /** In order of arrival; disjoint from `#working`. */
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  /** Added while they were worked on; a part of `#working`. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { readonly due: number; readonly timer: Timer }>();
  readonly #failures = new Map<string, number>();
  #isScheduled = false;
  #isClosed = false;
  #idle: Deferred<void> | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#parallel = options.parallel ?? 1;
    this.#backoff = options.backoff ?? usualBackoff;
    this.#bucket = new TokenBucket(options.clock, options.rate ?? usualRate);
  }

  /** How many keys wait, those that are delayed not counted. */
  get length(): number {
    return this.#waiting.size + this.#again.size;
  }

  add(key: string): void {
    if (this.#isClosed) return;
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    this.#schedule();
  }

  /** Adds the key later. Of several delays for one key the shortest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#isClosed) return;
    if (ms <= 0) return this.add(key);
    const due = this.#options.clock.ticks() + ms;
    const earlier = this.#delayed.get(key);
    if (earlier && earlier.due <= due) return;
    earlier?.timer.cancel();
    const timer = this.#options.clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, timer });
  }

  /** Adds the key later, after a time that grows from call to call until `forget`. */
  addRateLimited(key: string): void {
    if (this.#isClosed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAfter(key, Math.max(backoffMs(this.#backoff, failures), this.#bucket.reserve()));
  }

  /** The key is in order again: its next failure counts as the first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Resolves when nothing waits and nothing is worked on. What is delayed does not count. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    this.#idle ??= deferred<void>();
    return this.#idle.promise;
  }

  /** Takes nothing more, drops what waits, and resolves when the work under way is done. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
    this.#settle();
    return this.idle();
  }

  /** Work begins in a turn of its own: never inside `add`, and with room for input and output in between. */
  #schedule(): void {
    if (this.#isScheduled || this.#working.size >= this.#parallel) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    for (const key of this.#waiting) {
      if (this.#working.size >= this.#parallel) break;
      this.#waiting.delete(key);
      this.#working.add(key);
      void this.#run(key);
    }
    this.#settle();
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.work(key);
    } finally {
      this.#working.delete(key);
      if (this.#again.delete(key)) this.#waiting.add(key);
      if (this.#waiting.size > 0) this.#schedule();
      this.#settle();
    }
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  #settle(): void {
    if (!this.isIdle) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
