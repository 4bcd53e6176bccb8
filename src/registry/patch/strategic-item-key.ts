import { isJsonObject, member } from './json.ts';

/** What tells the items of a list apart: plain values, as they are in JSON. */
export type ItemKey = string | number | boolean;

export function isItemKey(value: unknown): value is ItemKey {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The value that an item has under the merge key; nothing when it has none. */
export function itemKeyOf(item: unknown, key: string): ItemKey | undefined {
  const value = isJsonObject(item) ? member(item, key) : undefined;
  return isItemKey(value) ? value : undefined;
}
