import type { Namespace } from '../kinds/core/namespace.ts';
import type { Scale } from '../kinds/extensions/scale.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type {
  Client,
  DeleteRequestOptions,
  ListOptions,
  ObjectItems,
  Patch,
  PodBinding,
  RequestOptions,
  SelectionOptions,
  WatchHandle,
  WatchListener,
  WatchOptions,
} from './client.ts';
import type { ObjectName } from './object-name.ts';

/**
 * The client for as long as a signal is not aborted. Then requests under way are given up and no more are sent: whoever has to stop, because another
 * one takes over say, changes nothing from that moment on, and waits for no server.
 */
export function clientUntil(signal: AbortSignal, client: Client): Client {
  return new EndingClient(signal, client);
}

class EndingClient implements Client {
  readonly #signal: AbortSignal;
  readonly #client: Client;

  constructor(signal: AbortSignal, client: Client) {
    this.#signal = signal;
    this.#client = client;
  }

  get<T extends ApiObject>(kind: Kind<T>, name: ObjectName, options?: RequestOptions): Promise<T> {
    return this.#client.get(kind, name, this.#ending(options));
  }

  list<T extends ApiObject>(kind: Kind<T>, options?: ListOptions): Promise<ObjectItems<T>> {
    return this.#client.list(kind, this.#ending(options));
  }

  watch<T extends ApiObject>(kind: Kind<T>, options: WatchOptions, listener: WatchListener<T>): Promise<WatchHandle> {
    return this.#client.watch(kind, this.#ending(options), listener);
  }

  create<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    return this.#client.create(kind, object, this.#ending(options));
  }

  update<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    return this.#client.update(kind, object, this.#ending(options));
  }

  updateStatus<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    return this.#client.updateStatus(kind, object, this.#ending(options));
  }

  patch<T extends ApiObject>(kind: Kind<T>, name: ObjectName, patch: Patch, options?: RequestOptions): Promise<T> {
    return this.#client.patch(kind, name, patch, this.#ending(options));
  }

  delete(kind: Kind, name: ObjectName, options?: DeleteRequestOptions): Promise<void> {
    return this.#client.delete(kind, name, this.#ending(options));
  }

  deleteCollection(kind: Kind, selection: SelectionOptions, options?: DeleteRequestOptions): Promise<void> {
    return this.#client.deleteCollection(kind, selection, this.#ending(options));
  }

  getScale(kind: Kind, name: ObjectName, options?: RequestOptions): Promise<Scale> {
    return this.#client.getScale(kind, name, this.#ending(options));
  }

  updateScale(kind: Kind, name: ObjectName, scale: Scale, options?: RequestOptions): Promise<Scale> {
    return this.#client.updateScale(kind, name, scale, this.#ending(options));
  }

  bind(binding: PodBinding, options?: RequestOptions): Promise<void> {
    return this.#client.bind(binding, this.#ending(options));
  }

  finalize(namespace: Namespace, options?: RequestOptions): Promise<Namespace> {
    return this.#client.finalize(namespace, this.#ending(options));
  }

  #ending<T extends RequestOptions>(options: T | undefined): T & RequestOptions {
    const given = options?.signal;
    const signal = given && given !== this.#signal ? AbortSignal.any([given, this.#signal]) : this.#signal;
    return { ...(options as T), signal };
  }
}
