import { namespace as namespaceKind, type Namespace } from '../kinds/core/namespace.ts';
import { pod as podKind } from '../kinds/core/pod.ts';
import { extensionsForm } from '../kinds/extensions/scale-form.ts';
import type { Scale } from '../kinds/extensions/scale.ts';
import type { Kind } from '../kinds/kind.ts';
import { pathNotFound } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../kinds/served-version.ts';
import { presentObject } from '../registry/encoding.ts';
import type { ObjectAddress } from '../registry/address.ts';
import { getComputed, listComputed, type ComputedKind } from '../registry/computed-kind.ts';
import type { Registry } from '../registry/registry.ts';
import type { ScaleAddress } from '../registry/subresources/scale.ts';
import { parseSelection, type Selection } from '../registry/selectors/selection.ts';
import { StoredObject } from '../registry/stored-object.ts';
import type { User, WriteOptions, WriteRequest } from '../registry/write.ts';
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
import { watchInProcess } from './in-process-watch.ts';
import type { ObjectName } from './object-name.ts';
import { patchBody } from './patch-body.ts';
import { podBindingBody } from './pod-binding-body.ts';
import { checkedName, checkedNameOf, checkedNamespace } from './request-scope.ts';
import { selectionQuery } from './selection-query.ts';

export interface InProcessClientOptions {
  readonly registry: Registry;
  /** Who the client's writes are from. */
  readonly user: User;
  /** What can be read besides what is stored. */
  readonly computedKinds?: readonly ComputedKind[];
  /** Makes objects that watchers share impossible to change; for tests, which so find whoever tries. */
  readonly freezesShared?: boolean;
}

/** A client that calls the registry directly: no socket, and nothing is encoded that is not stored. */
export class InProcessClient implements Client {
  readonly #registry: Registry;
  readonly #write: WriteOptions;
  readonly #freezesShared: boolean;
  readonly #served = new Map<Kind, ServedVersion>();
  readonly #computed: ReadonlyMap<Kind, ComputedKind>;

  constructor({ registry, user, computedKinds = [], freezesShared = false }: InProcessClientOptions) {
    this.#registry = registry;
    this.#computed = new Map(computedKinds.map((computed) => [computed.kind, computed]));
    this.#write = { user, dryRun: false, fieldValidation: 'Ignore' };
    this.#freezesShared = freezesShared;
  }

  async get<T extends ApiObject>(kind: Kind<T>, name: ObjectName, options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    const computed = this.#computed.get(kind);
    if (computed) return structuredClone(await getComputed(computed, checkedName(kind, name))) as T;
    const address = this.#address(kind, name);
    return presentObject(await this.#registry.get(address), address.served) as T;
  }

  async list<T extends ApiObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ObjectItems<T>> {
    options.signal?.throwIfAborted();
    const computed = this.#computed.get(kind);
    if (computed) return this.#listComputed(computed, options) as Promise<ObjectItems<T>>;
    const { limit, continue: token } = options;
    const collection = { served: this.#servedVersion(kind), namespace: options.namespace };
    const request = { selection: this.#selection(kind, options), limit, continue: token };
    const found = await this.#registry.list(collection, request);
    const items = found.entries.map(({ key, value, revision }) => {
      const stored = new StoredObject({ kind: collection.served.kind, key, bytes: value, revision });
      return presentObject(stored, collection.served) as T;
    });
    return { items, resourceVersion: String(found.revision), continue: found.continue };
  }

  async create<T extends ApiObject>(kind: Kind<T>, object: T, options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    const served = this.#servedVersion(kind);
    const collection = { served, namespace: checkedNamespace(kind, object.metadata.namespace) };
    const created = await this.#registry.create(collection, { ...this.#write, body: object });
    return presentObject(created.object, served) as T;
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
    options?.signal?.throwIfAborted();
    const address = this.#address(kind, name);
    const result = await this.#registry.patch(address, { ...this.#write, ...patchBody(patch) });
    return presentObject(result.object, address.served) as T;
  }

  async delete(kind: Kind, name: ObjectName, options: DeleteRequestOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    await this.#registry.delete(this.#address(kind, name), { ...this.#write, body: deleteBody(options) });
  }

  async deleteCollection(kind: Kind, selection: SelectionOptions, options: DeleteRequestOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const namespace = checkedNamespace(kind, selection.namespace);
    const request = { ...this.#write, body: deleteBody(options) };
    const collection = { served: this.#servedVersion(kind), namespace };
    await this.#registry.deleteCollection(collection, { selection: this.#selection(kind, selection) }, request);
  }

  async watch<T extends ApiObject>(
    kind: Kind<T>,
    options: WatchOptions,
    listener: WatchListener<T>,
  ): Promise<WatchHandle> {
    options.signal?.throwIfAborted();
    return watchInProcess(this.#registry, {
      address: { served: this.#servedVersion(kind), namespace: options.namespace },
      request: { selection: this.#selection(kind, options), resourceVersion: options.resourceVersion },
      listener,
      signal: options.signal,
      freezes: this.#freezesShared,
    });
  }

  async getScale(kind: Kind, name: ObjectName, options?: RequestOptions): Promise<Scale> {
    options?.signal?.throwIfAborted();
    return structuredClone(await this.#registry.getScale(this.#scaleAddress(kind, name))) as Scale;
  }

  async updateScale(kind: Kind, name: ObjectName, scale: Scale, options?: RequestOptions): Promise<Scale> {
    options?.signal?.throwIfAborted();
    const request = { ...this.#write, body: scale };
    return structuredClone(await this.#registry.updateScale(this.#scaleAddress(kind, name), request)) as Scale;
  }

  async bind(binding: PodBinding, options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    const { namespace } = this.#address(podKind, binding.pod);
    const pods = { served: this.#servedVersion(podKind), namespace };
    await this.#registry.bind(pods, { ...this.#write, body: podBindingBody(binding) });
  }

  async #replace<T extends ApiObject>(
    kind: Kind<T>,
    object: T,
    options: RequestOptions | undefined,
    subresource?: WriteRequest['subresource'],
  ): Promise<T> {
    options?.signal?.throwIfAborted();
    const address = this.#address(kind, checkedNameOf(kind, object));
    const request = { ...this.#write, body: object, subresource };
    const { object: stored } = await this.#registry.update(address, request);
    return presentObject(stored, address.served) as T;
  }

  /** There is no revision that a watch could begin at. */
  async #listComputed(computed: ComputedKind, options: ListOptions): Promise<ObjectItems<ApiObject>> {
    const found = await listComputed(computed, options.namespace, this.#selection(computed.kind, options));
    return { items: structuredClone([...found]), resourceVersion: '' };
  }

  #address(kind: Kind, name: ObjectName): ObjectAddress {
    return { served: this.#servedVersion(kind), ...checkedName(kind, name) };
  }

  #scaleAddress(kind: Kind, name: ObjectName): ScaleAddress {
    return { ...this.#address(kind, name), form: extensionsForm };
  }

  #selection(kind: Kind, selection: SelectionOptions): Selection {
    return parseSelection(selectionQuery(selection), kind);
  }

  /** What is answered is the version that kinds are stored in, whose types they carry. A kind that is not there is refused as its path would be. */
  #servedVersion(kind: Kind): ServedVersion {
    let served = this.#served.get(kind);
    if (!served) {
      served = servedVersions(kind)[0]!;
      if (!this.#registry.context.kinds.includes(kind)) throw pathNotFound(`${served.prefix}/${kind.resource}`);
      this.#served.set(kind, served);
    }
    return served;
  }
}
