import type { Clock } from '../base/clock.ts';

export interface Rate {
  readonly perSecond: number;
  /** How many may come at once after a quiet time. */
  readonly burst: number;
}

/** Bounds how often something happens. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = clock.ticks();
  }

  /** Takes a token if there is one. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes the next token, even one that is yet to come, and says in how many milliseconds it is there. */
  reserve(): number {
    this.#fill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  #fill(): void {
    const now = this.#clock.ticks();
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = now;
  }
}
