import { badRequest } from '../../kinds/meta/api-error.ts';
import type { Path } from '../../schema/path.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { at, directives, readDirective, readListDirective } from './strategic-directives.ts';
import { isItemKey, itemKeyOf, type ItemKey } from './strategic-item-key.ts';
import { orderLike } from './strategic-order.ts';

/** How the schema wants a list to be merged. */
export interface ListRules {
  /** Items with the same value here are one item; without it the list is replaced. */
  readonly key: string | undefined;
  readonly holdsObjects: boolean;
  mergeItem(current: unknown, item: JsonObject, path: Path): JsonObject;
}

/** A list in the object, and what a patch says about it. */
export interface ListPatch extends ListRules {
  readonly list: readonly unknown[];
  readonly items: readonly unknown[];
  /** The object in the patch that the list stands in; directives for the list stand beside it. */
  readonly siblings: JsonObject;
  readonly name: string;
  readonly path: Path;
}

/** The list after the patch. Lists without a merge key are replaced, unless directives say otherwise. */
export function mergeList(patch: ListPatch): unknown[] {
  const { siblings, name, path } = patch;
  const order = readListDirective(siblings, directives.setElementOrder, name, path);
  const key = mergeKey(patch.key, order);
  if (key !== undefined) return mergeKeyed(patch, key, order);
  const removed = readListDirective(siblings, directives.deleteFromPrimitiveList, name, path);
  return !patch.holdsObjects && (order || removed) ? mergePlain(patch, order, removed) : replaceList(patch);
}

/**
 * The key that items are told apart by. Clients of later versions merge some lists by another key than the schema's, and
 * lists that it replaces; the element order they send names that key.
 */
function mergeKey(own: string | undefined, order: readonly unknown[] | undefined): string | undefined {
  const sample = order?.[0];
  if (!isJsonObject(sample) || (own !== undefined && Object.hasOwn(sample, own))) return own;
  const names = Object.keys(sample);
  return names.length === 1 ? names[0] : own;
}

function mergeKeyed(patch: ListPatch, key: string, order: readonly unknown[] | undefined): unknown[] {
  const { replaces, items, deleted } = sortOut(patch, key);
  // Where there is nothing to merge with, nothing has to tell the items apart either.
  const merged =
    replaces || patch.list.length === 0
      ? items.map((item, i) => patch.mergeItem(undefined, item, patch.path.index(i)))
      : mergeItems(patch, withoutDeleted(patch.list, key, deleted), items, key);
  if (!order) return merged;
  const wanted = order.map((each) => requiredKey(each, key, patch.path));
  return orderLike(merged, { wanted, before: patch.list, keyOf: (item) => itemKeyOf(item, key) });
}

interface GivenItems {
  readonly items: readonly JsonObject[];
  /** How many items of each key are to go. */
  readonly deleted: ReadonlyMap<ItemKey, number>;
  /** An item `$patch: replace` makes the other items the whole list, as they are: nothing has to tell them apart. */
  readonly replaces: boolean;
}

function sortOut({ items: given, path }: ListPatch, key: string): GivenItems {
  const items: JsonObject[] = [];
  const deleted = new Map<ItemKey, number>();
  let replaces = false;
  for (const item of given) {
    if (!isJsonObject(item)) throw badRequest(`${at(path)}: the items of this list are objects with a ${key}`);
    const directive = readDirective(item, path);
    if (directive === 'replace') {
      replaces = true;
      continue;
    }
    if (directive === 'merge') {
      items.push(item);
      continue;
    }
    const value = requiredKey(item, key, path);
    deleted.set(value, (deleted.get(value) ?? 0) + 1);
  }
  return { items, deleted, replaces };
}

/** Deleting takes the first item of that key, as in the reference; where there is none it passes. */
function withoutDeleted(
  list: readonly unknown[],
  key: string,
  deleted: ReadonlyMap<ItemKey, number>,
): readonly unknown[] {
  if (deleted.size === 0) return list;
  const left = new Map(deleted);
  return list.filter((item) => {
    const value = itemKeyOf(item, key);
    const count = value === undefined ? 0 : (left.get(value) ?? 0);
    if (value !== undefined && count > 0) left.set(value, count - 1);
    return count === 0;
  });
}

function mergeItems(rules: ListPatch, list: readonly unknown[], items: readonly JsonObject[], key: string): unknown[] {
  const merged = [...list];
  const positions = new Map<ItemKey, number>();
  merged.forEach((item, i) => {
    const value = itemKeyOf(item, key);
    if (value !== undefined && !positions.has(value)) positions.set(value, i);
  });
  for (const item of items) {
    const value = requiredKey(item, key, rules.path);
    const position = positions.get(value) ?? merged.length;
    positions.set(value, position);
    merged[position] = rules.mergeItem(merged[position], item, rules.path.index(position));
  }
  return merged;
}

function requiredKey(item: unknown, key: string, path: Path): ItemKey {
  const value = itemKeyOf(item, key);
  if (value !== undefined) return value;
  throw badRequest(`${at(path)}: every item of the patch needs its ${key}, which tells the items of this list apart`);
}

/** Lists of plain values: what is there stays, what is new comes behind it, each value once. */
function mergePlain(patch: ListPatch, order?: readonly unknown[], removed: readonly unknown[] = []): unknown[] {
  const gone = new Set(removed);
  const merged = new Set([...patch.list.filter((value) => !gone.has(value)), ...patch.items]);
  if (!order) return [...merged];
  const wanted = order.filter(isItemKey);
  const keyOfPlain = (value: unknown): ItemKey | undefined => (isItemKey(value) ? value : undefined);
  return orderLike([...merged], { wanted, before: patch.list, keyOf: keyOfPlain });
}

function replaceList({ items, list, path, siblings, name, holdsObjects }: ListPatch): unknown[] {
  // Only directives were sent, and none that fits: the list stays.
  if (!Object.hasOwn(siblings, name)) return [...list];
  if (!holdsObjects) return [...items];
  return items.flatMap((item) => {
    if (!isJsonObject(item) || !Object.hasOwn(item, directives.patch)) return [item];
    if (readDirective(item, path) === 'delete')
      throw badRequest(`${at(path)}: this list is replaced as a whole; send the items that stay`);
    // The list is replaced anyway: what says no more than that is no item.
    const { [directives.patch]: _, ...content } = item;
    return Object.keys(content).length > 0 ? [content] : [];
  });
}
