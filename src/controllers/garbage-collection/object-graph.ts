import type { Informer } from '../../client/informer.ts';
import { keyOf, type ObjectName } from '../../client/object-name.ts';
import type { SharedInformers } from '../../client/shared-informers.ts';
import type { Kind } from '../../kinds/kind.ts';
import { foregroundFinalizer } from '../../kinds/meta/collection-finalizers.ts';
import type { ApiObject, OwnerReference } from '../../kinds/meta/object-meta.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import { resourceOf } from './object-key.ts';

/** One object of any kind; of the object only its metadata is known. */
export interface GraphObject {
  readonly kind: Kind;
  readonly object: ApiObject;
}

/** Where an owner is to be found. */
export interface OwnerPlace {
  readonly kind: Kind;
  readonly name: ObjectName;
}

/** Who belongs to whom, over all kinds, as far as the local copies know. */
export class ObjectGraph {
  readonly informers: readonly Informer<ApiObject>[];
  readonly #byResource: ReadonlyMap<string, Informer<ApiObject>>;
  /** By the group, version and kind that references name, in every version that a kind is served in. */
  readonly #kinds = new Map<string, Kind>();

  constructor(kinds: readonly Kind[], informers: SharedInformers) {
    this.informers = kinds.map((kind) => informers.metadataOf(kind));
    this.#byResource = new Map(this.informers.map((informer) => [resourceOf(informer.kind), informer]));
    for (const kind of kinds) {
      for (const { apiVersion } of servedVersions(kind)) this.#kinds.set(`${apiVersion} ${kind.kind}`, kind);
    }
  }

  find(resource: string, name: ObjectName): GraphObject | undefined {
    const informer = this.#byResource.get(resource);
    const object = informer?.get(keyOf(name));
    return informer && object && { kind: informer.kind, object };
  }

  /** Nothing for a kind that is not served here, and for an owner in a namespace of something outside all namespaces. */
  placeOf(reference: OwnerReference, dependent: GraphObject): OwnerPlace | undefined {
    const kind = this.#kinds.get(`${reference.apiVersion} ${reference.kind}`);
    if (!kind || (kind.namespaced && !dependent.kind.namespaced)) return undefined;
    const namespace = kind.namespaced ? dependent.object.metadata.namespace : undefined;
    return { kind, name: { namespace, name: reference.name } };
  }

  /** The owner that a reference means: that very object, not another of its name. */
  ownerOf(reference: OwnerReference, dependent: GraphObject): GraphObject | undefined {
    const place = this.placeOf(reference, dependent);
    const found = place && this.find(resourceOf(place.kind), place.name);
    return found?.object.metadata.uid === reference.uid ? found : undefined;
  }

  dependentsOf({ metadata: { uid = '' } }: ApiObject): GraphObject[] {
    return this.informers.flatMap((informer) =>
      informer
        .index(ownerUids)
        .get(uid)
        .map((object) => ({ kind: informer.kind, object })),
    );
  }
}

function ownerUids({ metadata }: ApiObject): readonly string[] {
  return (metadata.ownerReferences ?? []).map(({ uid }) => uid);
}

/** Whether the object is deleted and waits for what belongs to it to go first. */
export function isDeletedInForeground({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(foregroundFinalizer);
}

/** Whether the owner that is deleted in the foreground has to wait for this object. */
export function blocks({ object }: GraphObject, owner: ApiObject): boolean {
  const references = object.metadata.ownerReferences ?? [];
  return references.some(({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true);
}
