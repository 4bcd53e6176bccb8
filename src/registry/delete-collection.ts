import { namespace as namespaceKind, contentFinalizer, type Namespace } from '../kinds/core/namespace.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import { servedVersions, type ServedVersion } from '../kinds/served-version.ts';
import type { Entry } from '../storage/storage.ts';
import { parseKey, type CollectionAddress, type ObjectAddress } from './address.ts';
import { mutate } from './admission.ts';
import {
  attemptOf,
  decodeOptions,
  removeAdmitted,
  removeUnheld,
  type DeleteRequest,
  type DeleteResult,
} from './delete.ts';
import { list, type ListRequest, type ObjectList } from './list.ts';
import type { RegistryContext } from './registry.ts';
import { Selection } from './selectors/selection.ts';
import { translateStorageError } from './storage-errors.ts';
import type { StoredObject } from './stored-object.ts';

/** Removes what is selected, one object after the other; the answer lists it as it was before. */
export async function removeCollection(
  context: RegistryContext,
  address: CollectionAddress,
  selection: ListRequest,
  request: DeleteRequest,
): Promise<ObjectList> {
  const { served } = address;
  decodeOptions(request.body);
  await mutate(context.admission, attemptOf({ ...address, name: '' }, request));
  const found = await list(context, address, selection);
  const addresses = found.entries.map((entry) => addressOf(served, entry));
  if (served.kind === namespaceKind) {
    // A namespace that must stay is found before the first one goes.
    for (const each of addresses) await mutate(context.admission, attemptOf(each, request));
  }
  const entries: Entry[] = [];
  for (const [i, each] of addresses.entries()) {
    if (await removeIfThere(context, each, request)) entries.push(found.entries[i]!);
  }
  return { ...found, entries };
}

function addressOf(served: ServedVersion, { key }: Entry): ObjectAddress {
  const { namespace, name } = parseKey(served.kind, key);
  return { served, namespace: namespace || undefined, name };
}

/** False when somebody else removed it in the meantime, which is as good. */
async function removeIfThere(
  context: RegistryContext,
  address: ObjectAddress,
  request: DeleteRequest,
): Promise<boolean> {
  const removal = { options: decodeOptions(request.body), attempt: attemptOf(address, request) };
  try {
    const removed = await removeAdmitted(context, address, removal);
    if (address.served.kind === namespaceKind && !removed.removed) await finishNamespace(context, removed, request);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false;
    throw translateStorageError(error);
  }
}

/**
 * The reference removes a collection of namespaces at once and leaves what was in them behind. Here their content goes too; a namespace in which
 * something waits for a finalizer stays until that is done.
 */
async function finishNamespace(
  context: RegistryContext,
  { object }: DeleteResult,
  request: DeleteRequest,
): Promise<void> {
  if (request.dryRun || !holdsOnlyContent(object)) return;
  const name = object.object.metadata.name!;
  const content = { ...request, body: { gracePeriodSeconds: 0 } };
  let left = 0;
  for (const kind of context.kinds.filter(({ namespaced }) => namespaced)) {
    const collection = { served: servedVersions(kind)[0]!, namespace: name };
    const everything = { selection: Selection.everything };
    const found = await list(context, collection, everything);
    for (const entry of found.entries) await removeIfThere(context, addressOf(collection.served, entry), content);
    left += (await list(context, collection, { ...everything, limit: 1 })).entries.length;
  }
  const attempt = attemptOf({ served: servedVersions(namespaceKind)[0]!, name }, request);
  if (left === 0) await removeUnheld(context, object, attempt, holdsOnlyContent);
}

/** Whether nobody but the server itself must act before the namespace may go. */
function holdsOnlyContent({ object }: StoredObject): boolean {
  return (object as Namespace).spec?.finalizers?.every((finalizer) => finalizer === contentFinalizer) ?? true;
}
