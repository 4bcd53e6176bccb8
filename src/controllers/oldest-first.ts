import type { ApiObject } from '../kinds/meta/object-meta.ts';

/** Orders objects by when they were made; a name decides between those of the same second, so that the order is the same every time. */
export function oldestFirst({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  return compare(a.creationTimestamp, b.creationTimestamp) || compare(a.name, b.name);
}

function compare(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
