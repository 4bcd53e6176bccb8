import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';

interface Waiting {
  readonly revision: number;
  readonly settle: (error?: Error) => void;
}

/** A revision that only grows, and those who wait for it to get somewhere. */
export class Reached {
  readonly #clock: Clock;
  #revision: number;
  #waiting: Waiting[] = [];

  constructor(clock: Clock, revision: number) {
    this.#clock = clock;
    this.#revision = revision;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Everybody who waits for this revision or an older one goes on, in the order in which they came. */
  advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    const arrived = this.#waiting.filter((waiting) => waiting.revision <= revision);
    if (arrived.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting.revision > revision);
    for (const { settle } of arrived) settle();
  }

  /** Starts anew from a revision that may be older. Whoever waits, waits for what never comes. */
  restart(revision: number, error: Error): void {
    this.#revision = revision;
    this.fail(error);
  }

  /** Ends all waiting. */
  fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { settle } of waiting) settle(error);
  }

  /** Resolves once the revision is reached; fails with what `late` makes when that takes too long. */
  wait(revision: number, timeoutMs: number, late: () => Error): Promise<void> | undefined {
    if (revision <= this.#revision) return undefined;
    const { promise, resolve, reject } = deferred<void>();
    const waiting: Waiting = {
      revision,
      settle: (error) => {
        timer.cancel();
        if (error) reject(error);
        else resolve();
      },
    };
    const timer = this.#clock.after(timeoutMs, () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(late());
    });
    this.#waiting.push(waiting);
    return promise;
  }
}
