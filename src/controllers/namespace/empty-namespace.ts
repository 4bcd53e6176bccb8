import type { Clock } from '../../base/clock.ts';
import type { Reader, Writer } from '../../client/client.ts';
import { ifThere } from '../../client/if-there.ts';
import { nameOf } from '../../client/object-name.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

export interface EmptyNamespaceOptions {
  readonly client: Pick<Reader, 'list'> & Pick<Writer, 'delete' | 'deleteCollection'>;
  readonly clock: Clock;
  readonly namespace: string;
  /** In this order. */
  readonly kinds: readonly Kind[];
}

/** What one pass over a namespace has come to. */
export interface Pass {
  /** Whether nothing at all was found. */
  readonly wasEmpty: boolean;
  /** What is still there after the pass, as `2 pods`. */
  readonly remaining: readonly string[];
  /** Milliseconds until the last of what remains is to be gone, as far as that can be told; 0 when nothing says so. */
  readonly graceMs: number;
}

/** Deletes all that is in a namespace, each object with the time that it is given to end. */
export async function emptyNamespace(options: EmptyNamespaceOptions): Promise<Pass> {
  let wasEmpty = true;
  let graceMs = 0;
  const remaining: string[] = [];
  for (const kind of options.kinds) {
    if (!(await hasAny(options, kind))) continue;
    wasEmpty = false;
    await deleteAll(options, kind);
    const left = await listAll(options, kind);
    if (left.length > 0) remaining.push(`${left.length} ${kind.resource}`);
    for (const object of left) graceMs = Math.max(graceMs, graceLeft(object, options.clock.now()));
  }
  return { wasEmpty, remaining, graceMs };
}

async function hasAny({ client, namespace }: EmptyNamespaceOptions, kind: Kind): Promise<boolean> {
  // Another server may not have every kind.
  const found = await ifThere(client.list(kind, { namespace, limit: 1 }));
  return found !== undefined && found.items.length > 0;
}

async function deleteAll(options: EmptyNamespaceOptions, kind: Kind): Promise<void> {
  const { client, namespace } = options;
  const propagationPolicy = 'Background';
  if (kind.verbs.includes('deletecollection')) {
    await client.deleteCollection(kind, { namespace }, { propagationPolicy });
    return;
  }
  for (const object of await listAll(options, kind)) {
    await ifThere(client.delete(kind, nameOf(object), { propagationPolicy }));
  }
}

async function listAll({ client, namespace }: EmptyNamespaceOptions, kind: Kind): Promise<readonly ApiObject[]> {
  return (await client.list(kind, { namespace })).items;
}

/** Objects that wait for a finalizer are to be gone already; when they will be, nobody knows. */
function graceLeft({ metadata }: ApiObject, now: number): number {
  return metadata.deletionTimestamp === undefined ? 0 : Math.max(0, Date.parse(metadata.deletionTimestamp) - now);
}
