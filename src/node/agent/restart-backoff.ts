import { backoffMs, type BackoffBounds } from '../../client/backoff.ts';
import type { ContainerRun } from './container-run.ts';

/** As in the reference: each wait is twice as long as the one before. */
const bounds: BackoffBounds = { firstMs: 10_000, longestMs: 5 * 60_000 };
/** After a run of this length all is forgotten. */
const lastingMs = 10 * 60_000;

/** How long an ended container waits to be started again: not at all the first time, then longer from crash to crash. */
export class RestartBackoff {
  #restarts: number;

  constructor(restarts = 0) {
    this.#restarts = restarts;
  }

  /** The wait after a run that has ended, in milliseconds from its end. */
  next({ startedAt, exit }: ContainerRun): number {
    if (exit && exit.finishedAt - startedAt >= lastingMs) this.#restarts = 0;
    const wait = this.#restarts === 0 ? 0 : backoffMs(bounds, this.#restarts);
    this.#restarts++;
    return wait;
  }
}
