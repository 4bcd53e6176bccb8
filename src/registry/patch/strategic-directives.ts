import { badRequest } from '../../kinds/meta/api-error.ts';
import type { Path } from '../../schema/path.ts';
import { member, type JsonObject } from './json.ts';

/** Members of a strategic merge patch that say how to merge, rather than what. */
export const directives = {
  patch: '$patch',
  retainKeys: '$retainKeys',
  /** `$setElementOrder/<list>`: the order that the sender wants the list to have. */
  setElementOrder: '$setElementOrder/',
  /** `$deleteFromPrimitiveList/<list>`: plain values to take out of the list. */
  deleteFromPrimitiveList: '$deleteFromPrimitiveList/',

  /** Lists that are only ordered or thinned out: their directives stand in the patch, but no items. */
  listsWithoutItems(patch: JsonObject): string[] {
    const names = new Set<string>();
    for (const key of Object.keys(patch)) {
      const name = listOf(key);
      if (name !== undefined && !Object.hasOwn(patch, name)) names.add(name);
    }
    return [...names];
  },
} as const;

function listOf(key: string): string | undefined {
  for (const prefix of [directives.setElementOrder, directives.deleteFromPrimitiveList]) {
    if (key.startsWith(prefix)) return key.slice(prefix.length);
  }
  return undefined;
}

export function isDirective(key: string): boolean {
  return (
    key.startsWith('$') && (key === directives.patch || key === directives.retainKeys || listOf(key) !== undefined)
  );
}

export type PatchDirective = 'merge' | 'replace' | 'delete';

/** What `$patch` says; absent means merge, which cannot be written out. */
export function readDirective(patch: JsonObject, path: Path): PatchDirective {
  const value = member(patch, directives.patch);
  if (value === undefined) return 'merge';
  if (value === 'replace' || value === 'delete') return value;
  throw badRequest(`${at(path)}: $patch must be replace or delete, not ${JSON.stringify(value)}`);
}

/** The keys that `$retainKeys` names, where it stands. All that the patch sets must be among them. */
export function readRetainedKeys(patch: JsonObject, path: Path): ReadonlySet<string> | undefined {
  const value = member(patch, directives.retainKeys);
  if (value === undefined) return undefined;
  if (!isListOfStrings(value)) throw badRequest(`${at(path)}: $retainKeys must be a list of field names`);
  const retained = new Set(value);
  for (const key of Object.keys(patch)) {
    if (!isDirective(key) && patch[key] !== null && !retained.has(key)) {
      throw badRequest(`${at(path)}: the patch sets ${key}, but $retainKeys does not name it`);
    }
  }
  return retained;
}

/** The list that a list directive carries, where it stands. */
export function readListDirective(patch: JsonObject, prefix: string, list: string, path: Path): unknown[] | undefined {
  const value = member(patch, `${prefix}${list}`);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw badRequest(`${at(path)}: ${prefix}${list} must be a list`);
  return value;
}

/** A place for a message: the root has a name too. */
export function at(path: Path): string {
  return path.toString() || 'patch';
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
