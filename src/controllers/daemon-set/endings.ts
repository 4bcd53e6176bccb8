import type { Clock } from '../../base/clock.ts';
import { Backoff } from '../../client/backoff.ts';

/** Between a pod that ended and the next one on the same node. */
const bounds = { firstMs: 1000, longestMs: 15 * 60_000 };

interface Ending {
  readonly backoff: Backoff;
  /** When the next pod that ends may be replaced, in ticks. */
  readonly due: number;
}

/** When pods that ended make room for others: later each time, for what ended one may end the next at once. */
export class Endings {
  readonly #clock: Clock;
  readonly #byOwner = new Map<string, Map<string, Ending>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long a pod that ended must stay, in milliseconds. Whoever is told 0 replaces it, which counts. */
  waitFor(owner: string, node: string): number {
    const now = this.#clock.ticks();
    let ofOwner = this.#byOwner.get(owner);
    if (!ofOwner) this.#byOwner.set(owner, (ofOwner = new Map<string, Ending>()));
    const last = ofOwner.get(node);
    if (last && last.due > now) return last.due - now;
    // Where nothing ended for that long, counting starts anew.
    const backoff = last && now - last.due <= bounds.longestMs ? last.backoff : new Backoff(bounds);
    ofOwner.set(node, { backoff, due: now + backoff.next() });
    return 0;
  }

  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }
}
