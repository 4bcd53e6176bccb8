import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { WantedObjects } from '../../registry/computed-kind.ts';
import type { Registry } from '../../registry/registry.ts';
import { FieldSelector } from '../../registry/selectors/field-selector.ts';
import { Selection } from '../../registry/selectors/selection.ts';
import { StoredObject } from '../../registry/stored-object.ts';

/** The stored objects that computed ones are about. Read-only. */
export async function listStored<T extends ApiObject>(
  registry: Registry,
  kind: Kind<T>,
  { namespace, name, labels }: WantedObjects,
): Promise<readonly T[]> {
  const named = name === undefined ? [] : [{ field: 'metadata.name', operator: '=', value: name } as const];
  const selection = new Selection(labels, new FieldSelector(named, kind));
  const { entries, served } = await registry.list({ served: servedVersions(kind)[0]!, namespace }, { selection });
  return entries.map(({ key, value, revision }) => {
    return new StoredObject({ kind: served.kind, key, bytes: value, revision }).object as T;
  });
}
