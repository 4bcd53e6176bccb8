import { tooManyRequests } from '../../kinds/meta/api-error.ts';

/** Bounds how many requests are worked on at once, so that a flood gets quick refusals rather than slow answers. Long-running requests do not enter. */
export class InFlightLimit {
  readonly max: number;
  #current = 0;

  constructor(max = 400) {
    this.max = max;
  }

  /** How many are inside. */
  get current(): number {
    return this.#current;
  }

  /** Takes a place and gives the function that frees it; calling that again does nothing. Throws 429 when all are taken. */
  enter(): () => void {
    if (this.#current >= this.max) throw tooManyRequests('the server is busy; try again shortly', 1);
    this.#current++;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#current--;
    };
  }
}
