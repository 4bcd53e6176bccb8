import { deferred, type Deferred } from '../../base/deferred.ts';

/** Counts work under way, so that others can wait for its end. */
export class WorkTracker {
  #count = 0;
  #idle: Deferred<void> | undefined;

  get isBusy(): boolean {
    return this.#count > 0;
  }

  /** Does something that never rejects. */
  run(work: () => Promise<void>): void {
    this.#count++;
    void work().finally(() => {
      this.#count--;
      if (this.#count > 0) return;
      this.#idle?.resolve();
      this.#idle = undefined;
    });
  }

  settled(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    this.#idle ??= deferred<void>();
    return this.#idle.promise;
  }
}
