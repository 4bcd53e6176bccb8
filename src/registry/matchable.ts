import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';

/** What selectors look at. */
export interface Matchable {
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

export function matchable(kind: Kind, object: ApiObject): Matchable {
  const { name = '', namespace = '', labels } = object.metadata;
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace };
  for (const [field, read] of Object.entries(kind.selectableFields)) fields[field] = read(object);
  return { labels, fields };
}
