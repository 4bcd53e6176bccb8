import { formatTime } from '../base/clock.ts';
import { alreadyExists, badRequest } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { objectKey, subjectOf, type CollectionAddress } from './address.ts';
import { admitAndCommit, mutate, type Attempt } from './admission.ts';
import { decodeObject, type DecodedBody } from './decode-body.ts';
import { encodeForStorage } from './encoding.ts';
import { checkNew, checkNamespace, placeIn } from './object-rules.ts';
import type { RegistryContext } from './registry.ts';
import { isStorageError, translateStorageError } from './storage-errors.ts';
import { StoredObject } from './stored-object.ts';
import { revisionNamed, writeContext, type WriteOptions, type WriteRequest, type WriteResult } from './write.ts';

const longestName = 63;
const suffixLength = 5;
/** Names are made from 14 million suffixes; so many collisions in a row mean that they are used up. */
const nameAttempts = 8;

export async function create(
  context: RegistryContext,
  address: CollectionAddress,
  request: WriteRequest,
): Promise<WriteResult> {
  const decode = (): DecodedBody<ApiObject> => decodeObject(address.served, request.body, request.fieldValidation);
  const { object, warnings } = decode();
  if (revisionNamed(object)) throw badRequest('a new object must not have a resourceVersion');
  const next = (attempt: number): ApiObject => (attempt === 1 ? object : decode().object);
  const stored = await createObject(context, address, next, request);
  return { object: stored, created: true, warnings };
}

/**
 * Stores a decoded object, with a name made up where only a generateName is given. `next` gives a new object for each attempt, counted from 1, because
 * each attempt changes its own.
 */
export async function createObject(
  context: RegistryContext,
  address: CollectionAddress,
  next: (attempt: number) => ApiObject,
  options: WriteOptions,
): Promise<StoredObject> {
  for (let attempt = 1; ; attempt++) {
    const object = next(attempt);
    const { name, generateName: start } = object.metadata;
    const generated = !name && Boolean(start);
    if (generated) object.metadata.name = generateName(start!, context.ids.nameSuffix());
    try {
      return await attemptCreate(context, address, { object, called: name || start || '' }, options);
    } catch (error) {
      if (!isStorageError(error, 'Exists')) throw translateStorageError(error);
      if (!generated || attempt === nameAttempts) {
        throw alreadyExists(subjectOf({ served: address.served, name: object.metadata.name }));
      }
    }
  }
}

function generateName(base: string, suffix: string): string {
  return base.slice(0, longestName - suffixLength) + suffix;
}

async function attemptCreate(
  context: RegistryContext,
  address: CollectionAddress,
  { object, called }: { readonly object: ApiObject; readonly called: string },
  { user, dryRun }: WriteOptions,
): Promise<StoredObject> {
  const { kind, group } = address.served;
  const named = object.metadata.namespace;
  const { namespace = '' } = address;
  placeIn(address, object);
  const attempt: Attempt = { operation: 'create', kind, group, namespace, name: called, object, user, dryRun };
  begin(context, address, object);
  await mutate(context.admission, attempt);
  // The chain is asked first: where the namespace of the path is missing, or going, that is what is wrong.
  checkNamespace(address, named);
  checkNew(address.served, object);
  kind.canonicalize?.(object);
  const key = objectKey(kind, object.metadata.namespace, object.metadata.name!);
  return admitAndCommit(context, attempt, async () => {
    const bytes = encodeForStorage(kind, object);
    const revision = dryRun ? await checkFree(context, key, address, object) : await commit(context, key, bytes);
    return new StoredObject({ kind, key, bytes, revision, object });
  });
}

/** What only the server says about a new object. */
function begin(context: RegistryContext, address: CollectionAddress, object: ApiObject): void {
  const { kind } = address.served;
  const { metadata } = object;
  metadata.uid = context.ids.uid();
  metadata.creationTimestamp = formatTime(context.clock.now());
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp;
  if (kind.lifetimeSeconds) metadata.deletionTimestamp = formatTime(context.clock.now() + kind.lifetimeSeconds * 1000);
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds;
  if (kind.countsGenerations) metadata.generation = 1;
  kind.prepareForCreate?.(object, writeContext(context));
}

async function commit(context: RegistryContext, key: string, bytes: Buffer): Promise<number> {
  const { revision } = await context.storage.create(key, bytes);
  return revision;
}

async function checkFree(
  context: RegistryContext,
  key: string,
  address: CollectionAddress,
  object: ApiObject,
): Promise<number> {
  if (await context.storage.get(key)) throw alreadyExists(subjectOf({ ...address, name: object.metadata.name }));
  return 0;
}
