import type { Kind } from '../kinds/kind.ts';
import { badRequest } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { nameOf, type ObjectName } from './object-name.ts';

/** The name to send, complete for its kind; refuses with 400 what no server could find. */
export function checkedName(kind: Kind, { namespace, name }: ObjectName): ObjectName {
  if (!name) throw badRequest(`a ${kind.kind} can be reached only by its name`);
  return { namespace: checkedNamespace(kind, namespace), name };
}

/** The name of an object that is to be replaced. */
export function checkedNameOf(kind: Kind, object: ApiObject): ObjectName {
  return checkedName(kind, nameOf(object));
}

/** The namespace to write to: always named for kinds that have one, never for others. */
export function checkedNamespace(kind: Kind, namespace: string | undefined): string | undefined {
  if (!kind.namespaced) return undefined;
  if (!namespace) throw badRequest(`name the namespace of the ${kind.kind}`);
  return namespace;
}
