import type { ApiObject } from '../kinds/meta/object-meta.ts';

/** Names one object of a kind. `namespace` is absent for kinds of the cluster. */
export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** `namespace/name`, or `name` for kinds of the cluster: what work queues and informers go by. */
export function keyOf(object: ApiObject | ObjectName): string {
  const { namespace, name = '' } = 'metadata' in object ? object.metadata : object;
  return namespace ? `${namespace}/${name}` : name;
}

/** The name that a key stands for. */
export function parseKey(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The name of an object that has one. */
export function nameOf({ metadata: { namespace, name = '' } }: ApiObject): ObjectName {
  return namespace ? { namespace, name } : { name };
}
