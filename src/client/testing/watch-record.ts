import { deferred } from '../../base/deferred.ts';
import type { ApiError } from '../../kinds/meta/api-error.ts';
import type { WatchEvent, WatchListener } from '../client.ts';

/** Keeps what a watch tells. */
export class WatchRecord<T> implements WatchListener<T> {
  readonly events: WatchEvent<T>[] = [];
  readonly #ended = deferred<ApiError | undefined>();
  #hasEnded = false;
  #wake = deferred<void>();

  get ended(): Promise<ApiError | undefined> {
    return this.#ended.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  onEvent(event: WatchEvent<T>): void {
    this.events.push(event);
    this.#wake.resolve();
  }

  onEnd(error?: ApiError): void {
    this.#hasEnded = true;
    this.#ended.resolve(error);
  }

  /** The first events, once there are so many. */
  async take(count: number): Promise<readonly WatchEvent<T>[]> {
    while (this.events.length < count) {
      this.#wake = deferred<void>();
      await this.#wake.promise;
    }
    return this.events.slice(0, count);
  }
}
