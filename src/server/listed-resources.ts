import type { Discovery } from './discovery.ts';

/** A resource or sub-resource as discovery lists it. */
export interface ListedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** Group and version of the kind, where they are not those of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** What discovery lists at a prefix such as `/api/v1`. */
export function listedResources(discovery: Discovery, prefix: string): readonly ListedResource[] {
  const bytes = discovery.get(prefix);
  return bytes ? (JSON.parse(bytes.toString('utf8')) as { resources: ListedResource[] }).resources : [];
}

/** `/api/v1` gives the empty group and `v1`. */
export function groupAndVersionAt(prefix: string): { readonly group: string; readonly version: string } {
  const [, , first = '', second] = prefix.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
