import type { Clock } from '../base/clock.ts';
import { fraction, type Ids } from '../base/ids.ts';
import { namespace as namespaceKind, type Namespace } from '../kinds/core/namespace.ts';
import { pod as podKind } from '../kinds/core/pod.ts';
import type { Scale } from '../kinds/extensions/scale.ts';
import type { Kind } from '../kinds/kind.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject, ListMeta } from '../kinds/meta/object-meta.ts';
import { apiVersionOf } from '../kinds/kind.ts';
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
import { deleteBody } from './delete-body.ts';
import { httpOrigin, type HttpAccess, type HttpOrigin } from './http-access.ts';
import { readAnswer, sendRequest, type ExchangeLimits, type HttpRequest } from './http-exchange.ts';
import { collectionPath, objectPath, scalePath, withQuery } from './http-paths.ts';
import { readWatch } from './http-watch.ts';
import type { ObjectName } from './object-name.ts';
import { patchBody } from './patch-body.ts';
import { pause } from './pause.ts';
import { podBindingBody } from './pod-binding-body.ts';
import { checkedName, checkedNameOf, checkedNamespace } from './request-scope.ts';
import { selectionQuery } from './selection-query.ts';

export interface HttpClientOptions {
  readonly access: HttpAccess;
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long the server may be silent, before its answer or in the middle of it; 60 seconds when absent. */
  readonly timeoutMs?: number;
  readonly maxAnswerBytes?: number;
}

/** Long lists are fetched in parts of this size, so that neither side holds all of it as text. */
const pageSize = 500;
const readAttempts = 5;
const longestPauseSeconds = 60;
const shortestWatchSeconds = 300;
/** What a server may be late in ending a watch before its connection is taken for dead. */
const watchGraceMs = 30_000;

/** A client that reaches a server over HTTP or HTTPS. Connections are kept and used again until `close`. */
export class HttpClient implements Client {
  readonly #origin: HttpOrigin;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #limits: ExchangeLimits;

  constructor({ access, clock, ids, timeoutMs = 60_000, maxAnswerBytes = 128 * 1024 * 1024 }: HttpClientOptions) {
    this.#origin = httpOrigin(access);
    this.#clock = clock;
    this.#ids = ids;
    this.#limits = { clock, timeoutMs, maxAnswerBytes };
  }

  async get<T extends ApiObject>(kind: Kind<T>, name: ObjectName, options?: RequestOptions): Promise<T> {
    return (await this.#read(objectPath(kind, checkedName(kind, name)), options)) as T;
  }

  /** Without a limit the parts of a long list are put together; all of them are of one revision. */
  async list<T extends ApiObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ObjectItems<T>> {
    if (options.limit !== undefined || options.continue !== undefined) return this.#listPart(kind, options);
    let part = await this.#listPart(kind, { ...options, limit: pageSize });
    const { items } = part;
    while (part.continue) {
      part = await this.#listPart(kind, { ...options, limit: pageSize, continue: part.continue });
      for (const item of part.items) items.push(item);
    }
    return { items, resourceVersion: part.resourceVersion };
  }

  async create<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    const target = collectionPath(kind, checkedNamespace(kind, object.metadata.namespace));
    return (await this.#write({ method: 'POST', target, body: object }, options)) as T;
  }

  update<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    return this.#replace(kind, object, options);
  }

  updateStatus<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    return this.#replace(kind, object, options, 'status');
  }

  finalize(namespace: Namespace, options?: RequestOptions): Promise<Namespace> {
    return this.#replace(namespaceKind, namespace, options, 'finalize');
  }

  async patch<T extends ApiObject>(
    kind: Kind<T>,
    name: ObjectName,
    patch: Patch,
    options?: RequestOptions,
  ): Promise<T> {
    const { type, body } = patchBody(patch);
    const target = objectPath(kind, checkedName(kind, name));
    return (await this.#write({ method: 'PATCH', target, body, contentType: type }, options)) as T;
  }

  async delete(kind: Kind, name: ObjectName, options: DeleteRequestOptions = {}): Promise<void> {
    const target = objectPath(kind, checkedName(kind, name));
    await this.#write({ method: 'DELETE', target, body: deleteBody(options) }, options);
  }

  async deleteCollection(kind: Kind, selection: SelectionOptions, options: DeleteRequestOptions = {}): Promise<void> {
    const path = collectionPath(kind, checkedNamespace(kind, selection.namespace));
    const target = withQuery(path, { ...selectionQuery(selection) });
    await this.#write({ method: 'DELETE', target, body: deleteBody(options) }, options);
  }

  async watch<T extends ApiObject>(
    kind: Kind<T>,
    options: WatchOptions,
    listener: WatchListener<T>,
  ): Promise<WatchHandle> {
    const { signal, namespace, resourceVersion } = options;
    // Watches that begin together end at different times, so that they do not all come back at once.
    const timeoutSeconds = Math.ceil(shortestWatchSeconds * (1 + fraction(this.#ids)));
    const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds };
    const target = withQuery(collectionPath(kind, namespace), { ...query, ...selectionQuery(options) });
    const response = await sendRequest(this.#origin, { method: 'GET', target, signal }, this.#limits);
    if (response.statusCode !== 200) await readAnswer(response, this.#limits, signal);
    return readWatch(response, {
      listener,
      clock: this.#clock,
      deadlineMs: timeoutSeconds * 1000 + watchGraceMs,
      maxLineBytes: this.#limits.maxAnswerBytes,
      signal,
    });
  }

  async getScale(kind: Kind, name: ObjectName, options?: RequestOptions): Promise<Scale> {
    return (await this.#read(scalePath(kind, checkedName(kind, name)), options)) as Scale;
  }

  async updateScale(kind: Kind, name: ObjectName, scale: Scale, options?: RequestOptions): Promise<Scale> {
    const target = scalePath(kind, checkedName(kind, name));
    return (await this.#write({ method: 'PUT', target, body: scale }, options)) as Scale;
  }

  async bind(binding: PodBinding, options?: RequestOptions): Promise<void> {
    const target = objectPath(podKind, checkedName(podKind, binding.pod), 'binding');
    await this.#write({ method: 'POST', target, body: podBindingBody(binding) }, options);
  }

  /** Ends connections, those with requests and watches on them included. */
  close(): void {
    this.#origin.agent.destroy();
  }

  async #listPart<T extends ApiObject>(kind: Kind<T>, options: ListOptions): Promise<ObjectItems<T>> {
    const { namespace, limit, continue: token } = options;
    const query = { ...selectionQuery(options), limit, continue: token };
    const body = await this.#read(withQuery(collectionPath(kind, namespace), query), options);
    const { metadata, items } = body as { metadata: ListMeta; items: T[] | null };
    const named = (items ?? []).map((item) => withIdentity(kind, item));
    return { items: named, resourceVersion: metadata.resourceVersion ?? '', continue: metadata.continue || undefined };
  }

  async #replace<T extends ApiObject>(
    kind: Kind<T>,
    object: T,
    options: RequestOptions | undefined,
    part?: string,
  ): Promise<T> {
    const target = objectPath(kind, checkedNameOf(kind, object), part);
    return (await this.#write({ method: 'PUT', target, body: object }, options)) as T;
  }

  /** A read changes nothing, so it may be sent again when the server says when to come back. */
  async #read(target: string, options: RequestOptions = {}): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send({ method: 'GET', target, signal: options.signal });
      } catch (error) {
        const seconds = retryAfterSeconds(error);
        if (seconds === undefined || attempt === readAttempts) throw error;
        await pause(this.#clock, seconds * 1000, options.signal);
      }
    }
  }

  #write(request: HttpRequest, options: RequestOptions = {}): Promise<unknown> {
    return this.#send({ ...request, signal: options.signal });
  }

  async #send(request: HttpRequest): Promise<unknown> {
    return readAnswer(await sendRequest(this.#origin, request, this.#limits), this.#limits, request.signal);
  }
}

/** Items of a list may leave out what the list says for all of them. */
function withIdentity<T extends ApiObject>(kind: Kind<T>, item: T): T {
  if (item.kind) return item;
  return { ...item, kind: kind.kind, apiVersion: apiVersionOf(kind) };
}

function retryAfterSeconds(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || (error.code !== 429 && error.code !== 503)) return undefined;
  const seconds = error.status.details?.retryAfterSeconds;
  return seconds !== undefined && seconds <= longestPauseSeconds ? seconds : undefined;
}
