import { fraction, seededIds, type Ids } from '../../base/ids.ts';

/** What happens in a test, chosen by its seed: the same seed always chooses the same. */
export class Chance {
  readonly #ids: Ids;

  constructor(seed: number) {
    this.#ids = seededIds(seed);
  }

  /** A whole number from 0 up to but not including `end`. */
  below(end: number): number {
    return Math.floor(fraction(this.#ids) * end);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}
