import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject, ObjectMeta } from '../kinds/meta/object-meta.ts';
import type { RegistryContext } from './registry.ts';
import { writeContext } from './write.ts';

/** Puts back what a change may not touch: what the server keeps, and the part that is written through another path. */
export function carryOver(
  context: RegistryContext,
  kind: Kind,
  { object, old, subresource }: { object: ApiObject; old: ApiObject; subresource: string | undefined },
): void {
  const { metadata } = object;
  metadata.uid ||= old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  carryDeletion(kind, metadata, old.metadata);
  if (kind.countsGenerations) metadata.generation = old.metadata.generation;
  // Its rules hold for the whole object only: a part must not bring in what the object could then never be written with.
  if (subresource !== undefined) metadata.generateName = old.metadata.generateName;
  const write = writeContext(context);
  if (subresource === 'status') {
    carryAllBut('status', object, old);
    kind.prepareForStatusUpdate?.(object, old, write);
    return;
  }
  if (kind.hasStatus) carry('status', object, old);
  if (subresource === 'finalize') return;
  kind.prepareForUpdate?.(object, old, write);
  if (kind.countsGenerations && specChanged(object, old)) metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** A deletion that is under way stays as it is, whatever is sent; that one is under way cannot be made up. */
function carryDeletion(kind: Kind, metadata: ObjectMeta, old: ObjectMeta): void {
  if (old.deletionTimestamp || kind.lifetimeSeconds) metadata.deletionTimestamp = old.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
}

type Fields = Record<string, unknown>;

function specChanged(object: ApiObject, old: ApiObject): boolean {
  return !isDeepStrictEqual((object as unknown as Fields)['spec'], (old as unknown as Fields)['spec']);
}

function carry(field: string, object: ApiObject, old: ApiObject): void {
  const value = (old as unknown as Fields)[field];
  if (value === undefined) delete (object as unknown as Fields)[field];
  else (object as unknown as Fields)[field] = value;
}

const identity = new Set(['kind', 'apiVersion', 'metadata']);

function carryAllBut(field: string, object: ApiObject, old: ApiObject): void {
  for (const each of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (each !== field && !identity.has(each)) carry(each, object, old);
  }
}
