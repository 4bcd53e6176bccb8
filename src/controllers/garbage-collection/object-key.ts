import { keyOf, parseKey, type ObjectName } from '../../client/object-name.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** `resource.group namespace/name`: names one object of any kind. */
export function objectKeyOf(kind: Kind, object: ApiObject | ObjectName): string {
  return `${resourceOf(kind)} ${keyOf(object)}`;
}

export function parseObjectKey(key: string): { readonly resource: string; readonly name: ObjectName } {
  const space = key.indexOf(' ');
  return { resource: key.slice(0, space), name: parseKey(key.slice(space + 1)) };
}

/** `pods.`, `deployments.extensions`: kinds of different groups may share a name. */
export function resourceOf({ resource, group }: Kind): string {
  return `${resource}.${group}`;
}
