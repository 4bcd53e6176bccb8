import { badRequest } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import type { Entry, Listing } from '../storage/storage.ts';
import { collectionPrefix, objectKey, type CollectionAddress } from './address.ts';
import { continueToken, parseContinueToken, type ListPosition } from './continue-token.ts';
import type { RegistryContext } from './registry.ts';
import type { Selection } from './selectors/selection.ts';
import { translateStorageError } from './storage-errors.ts';

export interface ListRequest {
  readonly selection: Selection;
  /** At most this many items; 0 or absent for all. */
  readonly limit?: number;
  /** Where the part before ended. */
  readonly continue?: string;
}

/** Objects of one collection at one revision, still as bytes; `encodeList` makes the answer. */
export interface ObjectList {
  readonly served: ServedVersion;
  readonly namespace?: string;
  readonly entries: readonly Entry[];
  readonly revision: number;
  /** Gets the next part, when there is one. */
  readonly continue?: string;
  /** How many items follow, where that is known without looking at them. */
  readonly remaining?: number;
}

export async function list(
  context: RegistryContext,
  address: CollectionAddress,
  request: ListRequest,
): Promise<ObjectList> {
  const { served, namespace } = address;
  const { selection, limit = 0 } = request;
  if (limit < 0) throw badRequest('limit must not be negative');
  try {
    if (selection.isEverything) return await listAll(context, address, request);
    const selected = request.continue
      ? await selectPast(context, address, selection, { position: request.continue, limit })
      : await select(context, address, selection, limit);
    const entries = limit > 0 ? selected.entries.slice(0, limit) : selected.entries;
    const last = entries.at(-1);
    const more = entries.length < selected.entries.length && last !== undefined;
    return {
      served,
      namespace,
      entries,
      revision: selected.revision,
      continue: more ? continueToken({ revision: selected.revision, after: last.key }) : undefined,
    };
  } catch (error) {
    throw translateStorageError(error);
  }
}

async function listAll(
  context: RegistryContext,
  address: CollectionAddress,
  request: ListRequest,
): Promise<ObjectList> {
  const prefix = collectionPrefix(address.served.kind, address.namespace);
  const from = request.continue ? positionIn(prefix, request.continue) : undefined;
  const listing = await context.storage.list(prefix, { limit: request.limit || undefined, ...from });
  const last = listing.entries.at(-1);
  return {
    served: address.served,
    namespace: address.namespace,
    entries: listing.entries,
    revision: listing.revision,
    continue:
      listing.remaining > 0 && last ? continueToken({ revision: listing.revision, after: last.key }) : undefined,
    remaining: listing.remaining,
  };
}

type Selected = Pick<Listing, 'entries' | 'revision'>;

/** What a selection matches; with a limit not all of it, but more than the limit where there is more. */
async function select(
  context: RegistryContext,
  address: CollectionAddress,
  selection: Selection,
  limit: number,
): Promise<Selected> {
  const { kind } = address.served;
  const index = await context.indexes.of(kind);
  // Read before the index is asked, so that the index is never behind the revision that the answer carries.
  const current = await context.storage.revision();
  const revision = Math.max(current, index.revision);
  const named = address.namespace || !kind.namespaced ? selection.name : undefined;
  const keys =
    named === undefined
      ? index.keys(address.namespace, selection)
      : index.keysOf([objectKey(kind, address.namespace, named)], selection);
  return { entries: await readAt(context, keys, revision, limit > 0 ? limit + 1 : Infinity), revision };
}

/** So many objects are read at once, at least and at most, where only some of them can be wanted. */
const [smallestRead, largestRead] = [500, 10_000];

/**
 * The index knows only the present, so the later parts of a list look at the objects as they were. With a limit it stops when it knows that there are
 * more: looking at all that follows for each part would look at everything again and again.
 */
async function selectPast(
  context: RegistryContext,
  address: CollectionAddress,
  selection: Selection,
  { position, limit }: { readonly position: string; readonly limit: number },
): Promise<Selected> {
  const prefix = collectionPrefix(address.served.kind, address.namespace);
  const atOnce = limit > 0 ? Math.min(Math.max(limit + 1, smallestRead), largestRead) : undefined;
  const selected: Entry[] = [];
  for (let from = positionIn(prefix, position); ;) {
    const { entries, revision, remaining } = await context.storage.list(prefix, { ...from, limit: atOnce });
    for (const entry of entries) {
      if (selection.matchesObject(JSON.parse(entry.value.toString('utf8')) as ApiObject)) selected.push(entry);
    }
    const last = entries.at(-1);
    if (!last || remaining === 0 || (limit > 0 && selected.length > limit)) return { entries: selected, revision };
    from = { revision, after: last.key };
  }
}

function positionIn(prefix: string, token: string): ListPosition {
  const position = parseContinueToken(token);
  if (!position.after.startsWith(prefix)) throw badRequest('the continue token belongs to another list');
  return position;
}

/** So many reads are under way at once: on a storage across a network each is a round trip. */
const readsAtOnce = 64;

/** Stops once `enough` are read. */
async function readAt(
  context: RegistryContext,
  keys: readonly string[],
  revision: number,
  enough: number,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let start = 0; start < keys.length && entries.length < enough; start += readsAtOnce) {
    const some = keys.slice(start, start + readsAtOnce);
    for (const entry of await Promise.all(some.map((key) => readOneAt(context, key, revision)))) {
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

/** The current value, or the older one where a write came in between. */
async function readOneAt({ storage }: RegistryContext, key: string, revision: number): Promise<Entry | undefined> {
  const now = await storage.get(key);
  return now && now.revision <= revision ? now : storage.get(key, { revision });
}
