import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../base/clock.ts';
import { ApiError, conflict, notFound, type Subject } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { objectKey, subjectOf, type ObjectAddress } from './address.ts';
import { admitAndCommit, mutate, type Attempt } from './admission.ts';
import { carryOver } from './carry-over.ts';
import { createObject } from './create.ts';
import { isReleased, removeUnheld } from './delete.ts';
import { decodeObject, type DecodedBody } from './decode-body.ts';
import { encodeForStorage } from './encoding.ts';
import { find } from './get.ts';
import { checkChange, checkNamed, settleNamespace } from './object-rules.ts';
import type { RegistryContext } from './registry.ts';
import { isStorageError, translateStorageError } from './storage-errors.ts';
import { StoredObject } from './stored-object.ts';
import { revisionNamed, type WriteOptions, type WriteRequest, type WriteResult } from './write.ts';

/** How often a change that names no revision is tried again when others write at the same time. */
const attempts = 30;

export async function update(
  context: RegistryContext,
  address: ObjectAddress,
  request: WriteRequest,
): Promise<WriteResult> {
  const { kind } = address.served;
  const { object, warnings } = decodeReplacement(address, request);
  // Each attempt changes its object, so a repeated one starts again from the body.
  const next = (attempt: number): ApiObject => (attempt === 1 ? object : decodeReplacement(address, request).object);
  const createInstead = async (attempt: number): Promise<StoredObject> => {
    await request.confirmCreate?.();
    return createObject(context, address, () => clearVersion(next(attempt)), request);
  };
  const stored = await change(context, address, request, {
    subresource: request.subresource,
    resourceVersion: revisionNamed(object),
    next: (_current, attempt) => next(attempt),
    whenMissing: kind.createsOnUpdate ? createInstead : undefined,
  });
  return { object: stored.object, created: stored.created, warnings };
}

function decodeReplacement(address: ObjectAddress, request: WriteRequest): DecodedBody<ApiObject> {
  const decoded = decodeObject(address.served, request.body, request.fieldValidation);
  checkNamed(address, decoded.object);
  settleNamespace(address, decoded.object);
  return decoded;
}

function clearVersion(object: ApiObject): ApiObject {
  delete object.metadata.resourceVersion;
  return object;
}

/** A change of one object, as `change` carries it out. */
export interface ChangePlan {
  readonly subresource?: string;
  /** The revision that the change was made from; without one it is made again when others were faster. */
  readonly resourceVersion?: string;
  /** The changed object, in the stored version: a new one for each attempt, counted from 1. `current` is read-only. */
  next(current: StoredObject, attempt: number): ApiObject;
  /** A missing object is reported at once, before the chain can say that its namespace is missing (as PATCH does). */
  readonly missingNamesObject?: boolean;
  /** What refusals name; the object of the address when absent. */
  readonly subject?: ChangeSubject;
  /** Makes a missing object; it gives 404 when absent. */
  readonly whenMissing?: ((attempt: number) => Promise<StoredObject>) | undefined;
}

export interface ChangeSubject {
  readonly whenMissing: Subject;
  readonly onConflict: Subject;
}

export interface Changed {
  readonly object: StoredObject;
  readonly created: boolean;
}

/** Reads, changes, checks and commits, again while others come in between. A change that changes nothing writes nothing. */
export async function change(
  context: RegistryContext,
  address: ObjectAddress,
  options: WriteOptions,
  plan: ChangePlan,
): Promise<Changed> {
  for (let attempt = 1; ; attempt++) {
    const current = await find(context, address);
    if (!current) {
      if (!plan.missingNamesObject) await admitMissing(context, address, options);
      const made = await makeMissing(address, plan, attempt);
      if (made) return { object: made, created: true };
      continue;
    }
    try {
      return { object: await attemptChange(context, address, options, { plan, current, attempt }), created: false };
    } catch (error) {
      const lost = isStorageError(error, 'Conflict') || isStorageError(error, 'NotFound');
      if (!lost) throw translateStorageError(error);
      if (plan.resourceVersion || attempt === attempts) throw changedMeanwhile(address, plan);
    }
  }
}

/** Undefined when somebody else has made the object in the meantime. */
async function makeMissing(
  address: ObjectAddress,
  plan: ChangePlan,
  attempt: number,
): Promise<StoredObject | undefined> {
  if (!plan.whenMissing) throw notFound(plan.subject?.whenMissing ?? subjectOf(address));
  try {
    return await plan.whenMissing(attempt);
  } catch (error) {
    const isThere = error instanceof ApiError && error.reason === 'AlreadyExists';
    if (!isThere || attempt === attempts) throw error;
    return undefined;
  }
}

/** The chain has a say before a missing object is reported: in a namespace that is not there, that is what is missing. */
async function admitMissing(context: RegistryContext, address: ObjectAddress, options: WriteOptions): Promise<void> {
  const { kind, group } = address.served;
  const { namespace = '', name } = address;
  const { user, dryRun } = options;
  await mutate(context.admission, { operation: 'update', kind, group, namespace, name, user, dryRun });
}

async function attemptChange(
  context: RegistryContext,
  address: ObjectAddress,
  options: WriteOptions,
  { plan, current, attempt }: { plan: ChangePlan; current: StoredObject; attempt: number },
): Promise<StoredObject> {
  const { kind } = address.served;
  const old = current.object;
  const object = plan.next(current, attempt);
  // Where a revision must be there, it is a field like others: as in the reference all of them are looked at before it is compared.
  const comparesLast = kind.requiresVersionOnUpdate && plan.subresource === undefined;
  if (!comparesLast) checkVersion(address, plan, current);
  const write: Attempt = {
    operation: 'update',
    kind,
    group: address.served.group,
    namespace: address.namespace ?? '',
    name: address.name,
    subresource: plan.subresource,
    object,
    old,
    user: options.user,
    dryRun: options.dryRun,
  };
  carryOver(context, kind, { object, old, subresource: plan.subresource });
  await mutate(context.admission, write);
  checkChange(address.served, object, old, plan.subresource);
  if (comparesLast) checkVersion(address, plan, current);
  kind.canonicalize?.(object);
  const key = objectKey(kind, address.namespace, address.name);
  const stored = await admitAndCommit(context, write, async () => {
    let bytes = encodeForStorage(kind, object);
    if (isSame(bytes, current)) return current;
    if (kind.lifetimeSeconds) {
      object.metadata.deletionTimestamp = formatTime(context.clock.now() + kind.lifetimeSeconds * 1000);
      bytes = encodeForStorage(kind, object);
    }
    if (options.dryRun) return new StoredObject({ kind, key, bytes, revision: current.revision, object });
    const { revision } = await context.storage.update(key, bytes, current.revision);
    return new StoredObject({ kind, key, bytes, revision, object });
  });
  // Also where nothing changed: whoever let go of the object may have been stopped before it was removed.
  if (!options.dryRun && isReleased(stored)) await removeUnheld(context, stored, write, isReleased);
  return stored;
}

/** Fields can come in another order than they are stored in; what is only that is no change. */
function isSame(bytes: Buffer, current: StoredObject): boolean {
  if (bytes.length !== current.bytes.length) return false;
  if (bytes.equals(current.bytes)) return true;
  // Another order has the same bytes, so that most changes are told without a look at the objects.
  return sumOf(bytes) === sumOf(current.bytes) && isDeepStrictEqual(JSON.parse(bytes.toString('utf8')), current.object);
}

function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum += bytes[i]!;
  return sum;
}

function checkVersion(address: ObjectAddress, plan: ChangePlan, current: StoredObject): void {
  const { resourceVersion } = plan;
  if (resourceVersion && resourceVersion !== String(current.revision)) throw changedMeanwhile(address, plan);
}

function changedMeanwhile(address: ObjectAddress, plan: ChangePlan): Error {
  return conflict(
    plan.subject?.onConflict ?? subjectOf(address),
    'it was changed in the meantime; read it again and repeat the change',
  );
}
