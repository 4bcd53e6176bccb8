import type { Kind } from '../kinds/kind.ts';
import type { Subject } from '../kinds/meta/api-error.ts';
import type { ServedVersion } from '../kinds/served-version.ts';

/** A collection: of one namespace, of all (namespace absent), or of the cluster. */
export interface CollectionAddress {
  readonly served: ServedVersion;
  readonly namespace?: string;
}

/** One object. `namespace` is absent for kinds of the cluster. */
export interface ObjectAddress extends CollectionAddress {
  readonly name: string;
}

const root = '/registry';

export function collectionPrefix(kind: Kind, namespace?: string): string {
  return namespace ? `${root}/${kind.resource}/${namespace}/` : `${root}/${kind.resource}/`;
}

export function objectKey(kind: Kind, namespace: string | undefined, name: string): string {
  return collectionPrefix(kind, kind.namespaced ? namespace : undefined) + name;
}

/** Namespace (empty for kinds of the cluster) and name out of a key. */
export function parseKey(kind: Kind, key: string): { readonly namespace: string; readonly name: string } {
  const start = root.length + kind.resource.length + 2;
  const slash = kind.namespaced ? key.indexOf('/', start) : -1;
  return slash < 0
    ? { namespace: '', name: key.slice(start) }
    : { namespace: key.slice(start, slash), name: key.slice(slash + 1) };
}

/** What refusals about this address name. */
export function subjectOf(address: { served: ServedVersion; name?: string }): Subject {
  return { group: address.served.group, resource: address.served.kind.resource, name: address.name };
}

/** The path that leads to an object or a collection in this version. */
export function selfLink(served: ServedVersion, namespace: string | undefined, name?: string): string {
  const scope = served.kind.namespaced && namespace ? `/namespaces/${pathSegment(namespace)}` : '';
  const collection = `${served.prefix}${scope}/${served.kind.resource}`;
  return name === undefined ? collection : `${collection}/${pathSegment(name)}`;
}

/** A name as it stands in a path, in ASCII. Most names stand there as they are; those of roles may be nearly anything. */
export function pathSegment(name: string): string {
  return /^[-\w.:~$&+,;=@]*$/.test(name) ? name : encodeURIComponent(name);
}
