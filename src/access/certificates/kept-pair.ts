import { every, type Clock, type Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { KeyPair } from './key-pair.ts';

/** A key pair that somebody replaces from time to time, for those who serve with it and must notice. */
export class KeptPair {
  readonly #provide: () => Promise<KeyPair>;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  #current: KeyPair;

  private constructor(provide: () => Promise<KeyPair>, current: KeyPair) {
    this.#provide = provide;
    this.#current = current;
  }

  /** `provide` gives the pair as it should be now: mostly the same as before. */
  static async open(provide: () => Promise<KeyPair>): Promise<KeptPair> {
    return new KeptPair(provide, await provide());
  }

  get current(): KeyPair {
    return this.#current;
  }

  /** Called with the new pair whenever it is another one. */
  onRenewal(listener: (pair: KeyPair) => void): void {
    this.#listeners.add(listener);
  }

  /** Looks for the pair again. One that cannot be had leaves the old one in place. */
  async renew(): Promise<void> {
    const before = this.#current;
    const after = await this.#provide();
    if (after.certificate === before.certificate && after.key === before.key) return;
    this.#current = after;
    for (const listener of this.#listeners) listener(after);
  }

  /** Looks for the pair again and again until the timer is cancelled. */
  renewEvery(ms: number, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }): Timer {
    return every(clock, ms, () => {
      this.renew().catch((error: unknown) =>
        logger.error('a certificate was not renewed; the old one is used on', { error }),
      );
    });
  }
}
