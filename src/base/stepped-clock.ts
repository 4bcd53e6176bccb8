import type { Clock, Timer } from './clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test steps it; due timers fire in order, each at its own time. */
export class SteppedClock implements Clock {
  #ticks: number;
  /** How far what the clock shows is ahead of the ticks. */
  #ahead = 0;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#ticks = start;
  }

  now(): number {
    return this.#ticks + this.#ahead;
  }

  ticks(): number {
    return this.#ticks;
  }

  after(ms: number, callback: () => void): Timer {
    const pending = { due: this.#ticks + Math.max(0, ms), order: this.#order++, callback };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** Moves time on by `ms` and fires what falls due, timers set by those timers included. */
  step(ms: number): void {
    const end = this.#ticks + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#pending.delete(next);
      this.#ticks = next.due;
      next.callback();
    }
    this.#ticks = end;
  }

  /** Sets the clock, forward or back, as whoever keeps the time of a machine may do. No time passes by that. */
  setBy(ms: number): void {
    this.#ahead += ms;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending) {
      if (timer.due > end) continue;
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) first = timer;
    }
    return first;
  }
}
