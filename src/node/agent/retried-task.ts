import type { Clock } from '../../base/clock.ts';
import { Backoff, type BackoffBounds } from '../../client/backoff.ts';
import type { WorkTracker } from './work-tracker.ts';

export interface RetriedTaskOptions {
  readonly clock: Clock;
  /** Waits for it in the end. */
  readonly work: WorkTracker;
  readonly retries: BackoffBounds;
  readonly act: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  /** It has ended, one way or the other. */
  readonly onEnd: () => void;
}

/** Something that is done beside other things, never twice at the same time, and not again too soon after it failed. */
export class RetriedTask {
  readonly #options: RetriedTaskOptions;
  readonly #failures: Backoff;
  #isUnderWay = false;
  /** By the clock's ticks, for its time may be set back. */
  #retryAt = -Infinity;

  constructor(options: RetriedTaskOptions) {
    this.#options = options;
    this.#failures = new Backoff(options.retries);
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** What kept it from working may be over: it need not wait any more. */
  hasten(): void {
    this.#failures.reset();
    this.#retryAt = -Infinity;
  }

  /** Begins it if it can; gives the moment when it can otherwise, Infinity while it is under way. */
  begin(): number {
    const { clock, work } = this.#options;
    if (this.#isUnderWay) return Infinity;
    const leftMs = this.#retryAt - clock.ticks();
    if (leftMs > 0) return clock.now() + leftMs;
    this.#isUnderWay = true;
    work.run(() => this.#run());
    return Infinity;
  }

  async #run(): Promise<void> {
    const { clock, act, onFailure, onEnd } = this.#options;
    try {
      await act();
      this.#failures.reset();
    } catch (error) {
      this.#retryAt = clock.ticks() + this.#failures.next();
      onFailure(error);
    } finally {
      this.#isUnderWay = false;
      onEnd();
    }
  }
}
