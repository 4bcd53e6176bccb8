/** Waits that double from one failure to the next. */
export interface BackoffBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How long to wait after so many failures, counted from 1. */
export function backoffMs({ firstMs, longestMs }: BackoffBounds, failures: number): number {
  // Beyond 2^30 the longest wait is reached whatever the first one is.
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/** Remembers how often something failed in a row. */
export class Backoff {
  readonly #bounds: BackoffBounds;
  #failures = 0;

  constructor(bounds: BackoffBounds) {
    this.#bounds = bounds;
  }

  /** Counts one more failure and says how long to wait. */
  next(): number {
    return backoffMs(this.#bounds, ++this.#failures);
  }

  reset(): void {
    this.#failures = 0;
  }
}
