import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { WatchHandle, WatchListener, WatchOptions } from '../client.ts';
import { InProcessClient, type InProcessClientOptions } from '../in-process-client.ts';

/** A client whose watches of one kind tell nothing until they are let: as over a slow line, only on purpose. */
export class LaggingClient extends InProcessClient {
  readonly #kind: Kind;
  #isHeld = false;
  #waiting: (() => void)[] = [];

  constructor(options: InProcessClientOptions, kind: Kind) {
    super(options);
    this.#kind = kind;
  }

  hold(): void {
    this.#isHeld = true;
  }

  /** Tells all that happened meanwhile. */
  release(): void {
    this.#isHeld = false;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  override watch<T extends ApiObject>(
    kind: Kind<T>,
    options: WatchOptions,
    listener: WatchListener<T>,
  ): Promise<WatchHandle> {
    if ((kind as Kind) !== this.#kind) return super.watch(kind, options, listener);
    const delay = (tell: () => void): void => {
      if (this.#isHeld) this.#waiting.push(tell);
      else tell();
    };
    return super.watch(kind, options, {
      onEvent: (event) => delay(() => listener.onEvent(event)),
      onEnd: (error) => delay(() => listener.onEnd(error)),
    });
  }
}
