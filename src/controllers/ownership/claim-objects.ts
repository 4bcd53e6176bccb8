import type { Reader, Writer } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import type { Kind } from '../../kinds/kind.ts';
import { ApiError, isApiError } from '../../kinds/meta/api-error.ts';
import { controllerOf, controllerReference } from '../../kinds/meta/controller-reference.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

export interface ClaimOptions<T extends ApiObject, Owner extends ApiObject> {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'patch'>;
  readonly owner: Owner;
  readonly ownerKind: Kind<Owner>;
  readonly kind: Kind<T>;
  /** Whether the owner's selector picks these labels. */
  selects(labels: Record<string, string> | undefined): boolean;
  /** What may belong to the owner: all that name it as their controller, and those without one. Not changed. */
  readonly candidates: readonly T[];
}

/**
 * The objects that belong to an owner: those that name it as their controller and that it selects. On the way it adopts what it selects and nobody
 * controls, and releases what it controls and no longer selects.
 */
export async function claimObjects<T extends ApiObject, Owner extends ApiObject>(
  options: ClaimOptions<T, Owner>,
): Promise<T[]> {
  const { owner, candidates } = options;
  const isLeaving = owner.metadata.deletionTimestamp !== undefined;
  const claimed: T[] = [];
  const orphans: T[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    const isSelected = options.selects(object.metadata.labels);
    if (controller?.uid === owner.metadata.uid) {
      if (isSelected) claimed.push(object);
      else if (!isLeaving) await release(options, object);
    } else if (!controller && isSelected && !isLeaving && !object.metadata.deletionTimestamp) {
      orphans.push(object);
    }
  }
  return [...claimed, ...(await adoptAll(options, orphans))];
}

async function adoptAll<T extends ApiObject, Owner extends ApiObject>(
  options: ClaimOptions<T, Owner>,
  orphans: readonly T[],
): Promise<T[]> {
  if (orphans.length === 0 || !(await ownerIsThere(options))) return [];
  const adopted: T[] = [];
  for (const orphan of orphans) {
    const object = await changeOwners(options, orphan, [controllerReference(options.ownerKind, options.owner)]);
    if (object) adopted.push(object);
  }
  return adopted;
}

/** Asked of the server itself: a copy that lags behind could make a deleted owner take objects from its successor. */
async function ownerIsThere<T extends ApiObject, Owner extends ApiObject>({
  client,
  ownerKind,
  owner,
}: ClaimOptions<T, Owner>): Promise<boolean> {
  try {
    const { metadata } = await client.get(ownerKind, nameOf(owner));
    return metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isApiError(error, 404)) return false;
    throw error;
  }
}

async function release<T extends ApiObject, Owner extends ApiObject>(
  options: ClaimOptions<T, Owner>,
  object: T,
): Promise<void> {
  await changeOwners(options, object, [{ $patch: 'delete', uid: options.owner.metadata.uid }]);
}

/** Nothing when the object is gone, or another one has taken its name. */
async function changeOwners<T extends ApiObject, Owner extends ApiObject>(
  { client, kind }: ClaimOptions<T, Owner>,
  object: T,
  ownerReferences: readonly object[],
): Promise<T | undefined> {
  const { uid } = object.metadata;
  try {
    return await client.patch(kind, nameOf(object), { strategic: { metadata: { uid, ownerReferences } } });
  } catch (error) {
    if (error instanceof ApiError && [404, 409, 422].includes(error.code)) return undefined;
    throw error;
  }
}
