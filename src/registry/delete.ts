import { formatTime } from '../base/clock.ts';
import { conflict, invalid, notFound } from '../kinds/meta/api-error.ts';
import { finalizersForDeletion } from '../kinds/meta/collection-finalizers.ts';
import { deleteOptions, type DeleteOptions } from '../kinds/meta/delete-options.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { validate } from '../schema/validate.ts';
import { subjectOf, type ObjectAddress } from './address.ts';
import { admitAndCommit, mutate, type Attempt } from './admission.ts';
import { decodeBody, type BodyType } from './decode-body.ts';
import { encodeForStorage } from './encoding.ts';
import { find } from './get.ts';
import type { RegistryContext } from './registry.ts';
import { isStorageError, translateStorageError } from './storage-errors.ts';
import { StoredObject } from './stored-object.ts';
import type { User } from './write.ts';

export interface DeleteRequest {
  readonly user: User;
  readonly dryRun: boolean;
  /** The parsed body, a DeleteOptions; absent when none was sent. */
  readonly body?: unknown;
}

export interface DeleteResult {
  /** The object as it was last, or as it is now that it waits for its end. */
  readonly object: StoredObject;
  /** False when the object is still there and on its way out. */
  readonly removed: boolean;
}

/** Removes an object, or marks it where it may not go at once. */
export async function remove(
  context: RegistryContext,
  address: ObjectAddress,
  request: DeleteRequest,
): Promise<DeleteResult> {
  const options = decodeOptions(request.body);
  const attempt = attemptOf(address, request);
  await mutate(context.admission, attempt);
  return removeAdmitted(context, address, { options, attempt });
}

export function attemptOf(address: ObjectAddress, request: DeleteRequest): Attempt {
  const { user, dryRun } = request;
  const { served, namespace = '', name } = address;
  return { operation: 'delete', kind: served.kind, group: served.group, namespace, name, user, dryRun };
}

/** Every group has them under its own name, so that no version is asked for. */
export const deleteOptionsType: BodyType<DeleteOptions> = { kind: 'DeleteOptions', schema: deleteOptions };

export function decodeOptions(body: unknown): DeleteOptions {
  if (body === undefined) return {};
  const { object } = decodeBody(deleteOptionsType, body, 'Ignore');
  const errors = validate(deleteOptions, object);
  if (errors.any) throw invalid({ kind: 'DeleteOptions' }, errors.list);
  return object;
}

export interface Removal {
  readonly options: DeleteOptions;
  readonly attempt: Attempt;
}

/** As `remove`, when the chain has had its say. */
export async function removeAdmitted(
  context: RegistryContext,
  address: ObjectAddress,
  removal: Removal,
): Promise<DeleteResult> {
  for (;;) {
    const current = await find(context, address);
    if (!current) throw notFound(subjectOf(address));
    checkPreconditions(address, current, removal.options);
    try {
      return await attemptRemove(context, address, current, removal);
    } catch (error) {
      // Changed or removed in between: look again, which ends in 404 when it is gone.
      if (!isStorageError(error, 'Conflict') && !isStorageError(error, 'NotFound')) throw translateStorageError(error);
    }
  }
}

function checkPreconditions(address: ObjectAddress, current: StoredObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid && uid !== current.object.metadata.uid) {
    throw conflict(subjectOf(address), `the object there now has another uid than ${uid}`);
  }
  if (resourceVersion && resourceVersion !== String(current.revision)) {
    throw conflict(subjectOf(address), `the object there now has another resourceVersion than ${resourceVersion}`);
  }
}

async function attemptRemove(
  context: RegistryContext,
  address: ObjectAddress,
  current: StoredObject,
  removal: Removal,
): Promise<DeleteResult> {
  const { kind } = address.served;
  const object = current.object;
  const { deletionTimestamp } = object.metadata;
  const held = kind.holdsDeletion?.(object) ?? false;
  if (held && deletionTimestamp) {
    throw conflict(subjectOf(address), 'it is being deleted, and its contents are not gone yet; wait for that');
  }
  const { finalizers, isChanged } = settleFinalizers(kind, object, removal.options);
  const { grace, starts } = graceOf(kind, object, removal.options.gracePeriodSeconds);
  // What others may hold is first marked, so that they can act; it goes when it is deleted again and nobody holds it.
  const begins = kind.holdsDeletion !== undefined && !deletionTimestamp;
  const waits = begins || finalizers.length > 0 || grace > 0;
  if (waits && !starts && !isChanged) return { object: current, removed: false };
  const { dryRun } = removal.attempt;
  const marking = { grace: kind.gracePeriod && grace, starts, finalizers: isChanged ? finalizers : undefined, dryRun };
  const marked = waits || kind.gracePeriod ? await mark(context, current, marking) : current;
  if (waits) return { object: marked, removed: false };
  // What is marked may go, whoever else writes it now or even removes it.
  if (marked !== current) {
    return { object: marked, removed: await removeUnheld(context, marked, removal.attempt, isReleased) };
  }
  await commitRemoval(context, current, removal.attempt);
  return { object: current, removed: true };
}

/**
 * How long the object has from now on, and whether that begins now. A running grace period can be shortened, never lengthened, and goes
 * on when none is asked for; asking for the same again begins it anew, as in the reference.
 */
function graceOf(
  kind: Kind,
  object: ApiObject,
  asked: number | undefined,
): { readonly grace: number; readonly starts: boolean } {
  const { deletionTimestamp, deletionGracePeriodSeconds: running } = object.metadata;
  if (!deletionTimestamp || running === undefined) {
    return { grace: Math.max(0, kind.gracePeriod?.(object, asked) ?? 0), starts: !deletionTimestamp };
  }
  const starts = asked !== undefined && running > 0 && asked <= running;
  return { grace: starts ? Math.max(0, asked) : running, starts };
}

/** Who must act before the object goes, now that its deletion is asked for. */
function settleFinalizers(
  kind: Kind,
  { metadata }: ApiObject,
  options: DeleteOptions,
): { readonly finalizers: readonly string[]; readonly isChanged: boolean } {
  const before = metadata.finalizers ?? [];
  // What goes by itself owns nothing, and nobody collects what belongs to it.
  const finalizers = kind.lifetimeSeconds ? before : finalizersForDeletion(before, options);
  const isChanged = finalizers.length !== before.length || finalizers.some((each) => !before.includes(each));
  return { finalizers, isChanged };
}

/** Takes an object out of storage; the chain hears of it, so that what the object held becomes free. */
async function commitRemoval(context: RegistryContext, object: StoredObject, attempt: Attempt): Promise<void> {
  const removal: Attempt = { ...attempt, operation: 'delete', object: undefined, old: object.object };
  await admitAndCommit(context, removal, async () => {
    if (!attempt.dryRun) await context.storage.delete(object.key, object.revision);
  });
}

/** An object that only waited for its finalizers goes when the last one does. */
export function isReleased({ kind, object }: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (!deletionTimestamp || finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false;
  return !kind.holdsDeletion && !kind.lifetimeSeconds;
}

/**
 * Takes an object out of storage for which nobody has to act any more, also when others write it at the same time. Where it is held again it stays, which
 * gives false; what was made anew under its name is another object, and stays, too.
 */
export async function removeUnheld(
  context: RegistryContext,
  object: StoredObject,
  attempt: Attempt,
  isUnheld: (object: StoredObject) => boolean,
): Promise<boolean> {
  const { kind, key } = object;
  for (let now = object; ;) {
    try {
      await commitRemoval(context, now, attempt);
      return true;
    } catch (error) {
      if (!isStorageError(error, 'Conflict') && !isStorageError(error, 'NotFound')) throw translateStorageError(error);
    }
    const entry = await context.storage.get(key);
    if (!entry) return true;
    now = new StoredObject({ kind, key, bytes: entry.value, revision: entry.revision });
    if (now.object.metadata.uid !== object.object.metadata.uid) return true;
    if (!isUnheld(now)) return false;
  }
}

interface Marking {
  readonly grace: number | undefined;
  readonly starts: boolean;
  /** Absent when they stay as they are. */
  readonly finalizers: readonly string[] | undefined;
  readonly dryRun: boolean;
}

/** Years have four digits; a grace period can be longer than what is left of them. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Writes into the object when it is to be gone, and who must act before. */
async function mark(
  context: RegistryContext,
  current: StoredObject,
  { grace, starts, finalizers, dryRun }: Marking,
): Promise<StoredObject> {
  const { kind, key } = current;
  const object = current.thaw();
  const { metadata } = object;
  if (starts) {
    metadata.deletionTimestamp = formatTime(Math.min(context.clock.now() + (grace ?? 0) * 1000, lastMoment));
    if (grace !== undefined) metadata.deletionGracePeriodSeconds = grace;
  }
  if (finalizers) metadata.finalizers = finalizers.length > 0 ? [...finalizers] : undefined;
  kind.markDeletion?.(object);
  const bytes = encodeForStorage(kind, object);
  const revision = dryRun ? current.revision : (await context.storage.update(key, bytes, current.revision)).revision;
  return new StoredObject({ kind, key, bytes, revision, object });
}
