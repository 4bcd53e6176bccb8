import type { Kind } from '../kinds/kind.ts';
import { servedVersions } from '../kinds/served-version.ts';
import type { ObjectName } from './object-name.ts';

/** The path to a collection: of one namespace, of all, or of the cluster. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const scope = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${servedVersions(kind)[0]!.prefix}${scope}/${kind.resource}`;
}

/** The path to an object, or to a part of it such as `status`. */
export function objectPath(kind: Kind, { namespace, name }: ObjectName, part?: string): string {
  const path = `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
  return part === undefined ? path : `${path}/${part}`;
}

/** The path to the scale of a workload: the extensions group has it for all that can be scaled, in one form. */
export function scalePath(kind: Kind, { namespace = '', name }: ObjectName): string {
  const collection = `/apis/extensions/v1beta1/namespaces/${encodeURIComponent(namespace)}/${kind.resource}`;
  return `${collection}/${encodeURIComponent(name)}/scale`;
}

/** A path with what is given of a query. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
