import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import type { Storage } from '../storage/storage.ts';
import type { Admission } from './admission.ts';
import type { CollectionAddress, ObjectAddress } from './address.ts';
import { create } from './create.ts';
import { removeCollection } from './delete-collection.ts';
import { remove, type DeleteRequest, type DeleteResult } from './delete.ts';
import { EventCache } from './event-cache.ts';
import { get } from './get.ts';
import { KeptAnswers } from './kept-answers.ts';
import { KeptLists } from './kept-lists.ts';
import { list, type ListRequest, type ObjectList } from './list.ts';
import { patch, type PatchRequest } from './patch.ts';
import type { PiecedBytes } from './pieced-bytes.ts';
import type { Status } from '../kinds/meta/status.ts';
import type { AnyScale } from '../kinds/extensions/scale-form.ts';
import { bind } from './subresources/binding.ts';
import { rollback } from './subresources/rollback.ts';
import { getScale, patchScale, updateScale, type ScaleAddress } from './subresources/scale.ts';
import { SelectorIndexes } from './selector-index.ts';
import type { StoredObject } from './stored-object.ts';
import { update } from './update.ts';
import { watch, type WatchHandle, type WatchListener, type WatchRequest } from './watch.ts';
import type { WriteRequest, WriteResult } from './write.ts';

/** What the verbs work with. One for each cluster; nothing is shared between two. */
export interface RegistryParts {
  readonly storage: Storage;
  readonly kinds: readonly Kind[];
  readonly admission: Admission;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** What verbs see of the registry: its parts, and what it keeps besides. */
export interface RegistryContext extends RegistryParts {
  readonly indexes: SelectorIndexes;
  readonly events: EventCache;
}

/**
 * The write path and the read path, once for all kinds. Bodies are parsed JSON; every refusal is an `ApiError`. Whoever wants to change an
 * object, be it an HTTP client or a controller, goes through here.
 */
export class Registry {
  readonly context: RegistryContext;
  readonly #keptLists: KeptLists;
  readonly #keptAnswers = new KeptAnswers();

  constructor(parts: RegistryParts) {
    const events = new EventCache();
    this.#keptLists = new KeptLists(parts.clock);
    this.context = { ...parts, events, indexes: new SelectorIndexes(parts.storage, events) };
  }

  get(address: ObjectAddress): Promise<StoredObject> {
    return get(this.context, address);
  }

  /** The answer to a request for an object. */
  objectAnswer(stored: StoredObject, served: ServedVersion): Buffer {
    return this.#keptAnswers.of(stored, served);
  }

  list(address: CollectionAddress, request: ListRequest): Promise<ObjectList> {
    return list(this.context, address, request);
  }

  /** The answer to a list of a whole collection. */
  listAnswer(address: CollectionAddress): Promise<PiecedBytes> {
    return this.#keptLists.answer(this.context, address);
  }

  /** Calls the listener with what is there (when no revision is named) and then with every change, until closed. */
  watch(address: CollectionAddress, request: WatchRequest, listener: WatchListener): Promise<WatchHandle> {
    return watch(this.context, address, request, listener);
  }

  create(address: CollectionAddress, request: WriteRequest): Promise<WriteResult> {
    return create(this.context, address, request);
  }

  update(address: ObjectAddress, request: WriteRequest): Promise<WriteResult> {
    return update(this.context, address, request);
  }

  patch(address: ObjectAddress, request: PatchRequest): Promise<WriteResult> {
    return patch(this.context, address, request);
  }

  delete(address: ObjectAddress, request: DeleteRequest): Promise<DeleteResult> {
    return remove(this.context, address, request);
  }

  deleteCollection(address: CollectionAddress, selection: ListRequest, request: DeleteRequest): Promise<ObjectList> {
    return removeCollection(this.context, address, selection, request);
  }

  getScale(address: ScaleAddress): Promise<AnyScale> {
    return getScale(this.context, address);
  }

  updateScale(address: ScaleAddress, request: WriteRequest): Promise<AnyScale> {
    return updateScale(this.context, address, request);
  }

  patchScale(address: ScaleAddress, request: PatchRequest): Promise<AnyScale> {
    return patchScale(this.context, address, request);
  }

  /** Binds the pod that the body names. */
  bind(pods: CollectionAddress, request: WriteRequest): Promise<Status> {
    return bind(this.context, pods, request);
  }

  rollback(address: ObjectAddress, request: WriteRequest): Promise<Status> {
    return rollback(this.context, address, request);
  }

  close(): void {
    this.context.indexes.close();
    this.#keptLists.close();
    this.#keptAnswers.clear();
  }
}
