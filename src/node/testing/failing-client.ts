import type { RequestOptions } from '../../client/client.ts';
import { InProcessClient } from '../../client/in-process-client.ts';
import type { ObjectName } from '../../client/object-name.ts';
import type { Kind } from '../../kinds/kind.ts';
import { unreachable } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** A client that can write no status, nor read config maps, while its server is said to be down or silent. */
export class FailingClient extends InProcessClient {
  isDown = false;
  /** Whether the server takes requests and never answers. */
  isSilent = false;
  /** How many writes were refused. */
  refused = 0;
  /** How many requests wait for an answer. */
  waiting = 0;
  /** How many config maps were asked for and not given. */
  reading = 0;

  override updateStatus<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    if (this.isSilent) return this.#wait(options?.signal);
    if (!this.isDown) return super.updateStatus(kind, object, options);
    this.refused++;
    return Promise.reject(unreachable('the server is down'));
  }

  override get<T extends ApiObject>(kind: Kind<T>, name: ObjectName, options?: RequestOptions): Promise<T> {
    if (!this.isSilent || kind.resource !== 'configmaps') return super.get(kind, name, options);
    this.reading++;
    return this.#wait(options?.signal);
  }

  #wait(signal: AbortSignal | undefined): Promise<never> {
    this.waiting++;
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.waiting--;
        reject(signal.reason as Error);
      });
    });
  }
}
