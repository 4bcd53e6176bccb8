import type { Logger } from '../../base/logger.ts';
import { BoundedMap } from '../../client/bounded-map.ts';
import type { Reader, Writer } from '../../client/client.ts';
import { ifThere } from '../../client/if-there.ts';
import { nameOf } from '../../client/object-name.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { foregroundFinalizer, orphanFinalizer } from '../../kinds/meta/collection-finalizers.ts';
import type { DeleteOptions } from '../../kinds/meta/delete-options.ts';
import type { ApiObject, OwnerReference } from '../../kinds/meta/object-meta.ts';
import { objectKeyOf, parseObjectKey } from './object-key.ts';
import { blocks, isDeletedInForeground, type GraphObject, type ObjectGraph, type OwnerPlace } from './object-graph.ts';

export interface CollectorParts {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'patch' | 'delete'>;
  readonly logger: Logger;
  readonly graph: ObjectGraph;
}

/** Objects that are known to be gone; no uid ever comes back. */
const rememberedObjects = 10_000;

/** `there`: keeps what belongs to it. `gone`: keeps nothing. `waiting`: is deleted in the foreground, and keeps nothing any more. */
type OwnerState = 'there' | 'gone' | 'waiting';

/** Decides for one object at a time what its owners, or the objects that belong to it, make necessary. */
export class Collector {
  readonly #parts: CollectorParts;
  /** With the place where it was, because a reference may name a uid and the wrong place. */
  readonly #gone = new BoundedMap<string, true>(rememberedObjects);

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** The object was seen to go, so nobody needs to ask for it. */
  noteGone({ kind, object }: GraphObject): void {
    this.#gone.set(identityOf({ kind, name: nameOf(object) }, object.metadata.uid), true);
  }

  async collect(key: string): Promise<void> {
    const { resource, name } = parseObjectKey(key);
    const found = this.#parts.graph.find(resource, name);
    if (!found) return;
    const { deletionTimestamp, finalizers = [] } = found.object.metadata;
    if (deletionTimestamp === undefined) return this.#followOwners(found);
    if (finalizers.includes(orphanFinalizer)) await this.#letGo(found);
    else if (finalizers.includes(foregroundFinalizer)) await this.#clearAway(found);
  }

  /** Leaves behind what belongs to a deleted object, as asked for, and then lets the object go. */
  async #letGo(owner: GraphObject): Promise<void> {
    const { uid } = owner.object.metadata;
    const dependents = this.#parts.graph.dependentsOf(owner.object);
    await inTurns(dependents, (dependent) => this.#changeOwners(dependent, [{ $patch: 'delete', uid }]));
    await this.#removeFinalizer(owner, orphanFinalizer);
  }

  /** Deletes what belongs to an object that is deleted in the foreground; when nothing of it holds the object up any more, that goes. */
  async #clearAway(owner: GraphObject): Promise<void> {
    const dependents = this.#parts.graph.dependentsOf(owner.object);
    if (dependents.some((each) => blocks(each, owner.object))) {
      await inTurns(dependents, (each) => this.#followOwners(each));
    } else {
      await this.#removeFinalizer(owner, foregroundFinalizer);
    }
  }

  /** Deletes an object when none of its owners is there, and otherwise strikes those that are not. */
  async #followOwners(dependent: GraphObject): Promise<void> {
    if (dependent.object.metadata.deletionTimestamp !== undefined || this.#keepsAllOwners(dependent)) return;
    // What is deleted is decided on the object as the server has it, not on a copy that may lag behind.
    const object = await this.#read(dependent);
    if (!object || object.metadata.deletionTimestamp !== undefined) return;
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const current = { kind: dependent.kind, object };
    const states = new Map<OwnerReference, OwnerState>();
    for (const reference of references) states.set(reference, await this.#stateOf(reference, current));
    const lost = references.filter((reference) => states.get(reference) !== 'there');
    if (lost.length === 0) return;
    if (lost.length < references.length) {
      await this.#changeOwners(
        current,
        lost.map(({ uid }) => ({ $patch: 'delete', uid })),
      );
      return;
    }
    const isAwaited = [...states.values()].includes('waiting');
    await this.#delete(current, isAwaited && (await this.#mayWait(current)) ? 'Foreground' : undefined);
  }

  /** The usual case, which takes no request. */
  #keepsAllOwners(dependent: GraphObject): boolean {
    const { graph } = this.#parts;
    return (dependent.object.metadata.ownerReferences ?? []).every((reference) => {
      const owner = graph.ownerOf(reference, dependent);
      return owner !== undefined && !isDeletedInForeground(owner.object);
    });
  }

  async #stateOf(reference: OwnerReference, dependent: GraphObject): Promise<OwnerState> {
    const { graph, client, logger } = this.#parts;
    const known = graph.ownerOf(reference, dependent);
    if (known) return isDeletedInForeground(known.object) ? 'waiting' : 'there';
    const place = graph.placeOf(reference, dependent);
    if (!place) {
      const { name, namespace } = dependent.object.metadata;
      logger.debug('an owner cannot be looked up, so what belongs to it is kept', { name, namespace, reference });
      return 'there';
    }
    const identity = identityOf(place, reference.uid);
    if (this.#gone.get(identity)) return 'gone';
    const owner = await ifThere(client.get(place.kind, place.name));
    if (owner?.metadata.uid === reference.uid) return isDeletedInForeground(owner) ? 'waiting' : 'there';
    this.#gone.set(identity, true);
    return 'gone';
  }

  /**
   * Whether the object is deleted in the foreground as its owner is, because things belong to it in turn. Where one of those is deleted in the foreground
   * already, objects own each other in a circle and would wait for each other for good: then this one no longer blocks its owners.
   */
  async #mayWait(dependent: GraphObject): Promise<boolean> {
    const { graph } = this.#parts;
    const ownDependents = graph.dependentsOf(dependent.object);
    if (ownDependents.length === 0) return false;
    if (ownDependents.some(({ object }) => isDeletedInForeground(object))) {
      const references = dependent.object.metadata.ownerReferences ?? [];
      await this.#changeOwners(
        dependent,
        references.map(({ uid }) => ({ uid, blockOwnerDeletion: false })),
      );
    }
    return true;
  }

  async #delete({ kind, object }: GraphObject, asked: 'Foreground' | undefined): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata;
    const propagationPolicy = asked ?? ownPolicy(finalizers);
    // Only as it was read: it may have been given another owner meanwhile.
    const preconditions = { uid, resourceVersion };
    await ifThere(this.#parts.client.delete(kind, nameOf(object), { propagationPolicy, preconditions }));
  }

  async #read({ kind, object }: GraphObject): Promise<ApiObject | undefined> {
    const current = await ifThere(this.#parts.client.get(kind, nameOf(object)));
    return current?.metadata.uid === object.metadata.uid ? current : undefined;
  }

  /** A patch that names the uid does nothing to another object of the same name. */
  async #changeOwners({ kind, object }: GraphObject, ownerReferences: readonly object[]): Promise<void> {
    const { uid } = object.metadata;
    try {
      await this.#parts.client.patch(kind, nameOf(object), { strategic: { metadata: { uid, ownerReferences } } });
    } catch (error) {
      if (!isPassed(error)) throw error;
    }
  }

  /** On the version that is known: whoever else changes the finalizers meanwhile is not overruled. */
  async #removeFinalizer({ kind, object }: GraphObject, finalizer: string): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata;
    const left = finalizers.filter((each) => each !== finalizer);
    const metadata = { uid, resourceVersion, finalizers: left.length > 0 ? left : null };
    await ifThere(this.#parts.client.patch(kind, nameOf(object), { merge: { metadata } }));
  }
}

function identityOf({ kind, name }: OwnerPlace, uid = ''): string {
  return `${objectKeyOf(kind, name)} ${uid}`;
}

/** What an object's own finalizers say about the objects that belong to it. */
function ownPolicy(finalizers: readonly string[]): DeleteOptions['propagationPolicy'] {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}

/** The object is gone, or is another one by now. */
function isPassed(error: unknown): boolean {
  return error instanceof ApiError && [404, 422].includes(error.code);
}

const atOnce = 20;

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += atOnce) await Promise.all(items.slice(i, i + atOnce).map(work));
}
