import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { equalJson, isJsonObject, member, setMember, type JsonObject } from './json.ts';
import { createMergePatch } from './merge-patch.ts';
import { directives } from './strategic-directives.ts';
import { mergeFieldOf, type MergeField } from './strategic-field.ts';
import { itemKeyOf, type ItemKey } from './strategic-item-key.ts';

/**
 * A strategic merge patch that makes `to` out of `from`, with the order of its lists. A member of `to` that is null cannot be
 * expressed: it becomes absent.
 */
export function createStrategicMergePatch(schema: ObjectSchema, from: JsonObject, to: JsonObject): JsonObject {
  return diffObjects(schema, from, to);
}

function diffObjects(schema: Schema | undefined, from: JsonObject, to: JsonObject): JsonObject {
  if (schema?.type !== 'object' && schema?.type !== 'map') return createMergePatch(from, to);
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) setMember(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const before = member(from, key);
    const after = to[key];
    if (equalJson(before, after)) continue;
    const field = mergeFieldOf(schema, key);
    setMember(patch, key, diffValues(field, before, after));
    const order = elementOrder(field, before, after);
    if (order) patch[`${directives.setElementOrder}${key}`] = order;
  }
  return patch;
}

function diffValues(field: MergeField | undefined, from: unknown, to: unknown): unknown {
  if (isJsonObject(to)) return diffObjects(field?.schema, isJsonObject(from) ? from : {}, to);
  if (!Array.isArray(to) || field?.schema.type !== 'list' || !field.merge) return to;
  const { item: itemSchema } = field.schema;
  const { key } = field.merge;
  const before = byKey(Array.isArray(from) ? from : [], key);
  const after = byKey(to, key);
  // Items that cannot be told apart cannot be merged either.
  if (!before || !after) {
    const items = to.map((item) => (isJsonObject(item) ? diffObjects(itemSchema, {}, item) : item));
    return [...items, { [directives.patch]: 'replace' }];
  }
  const items: JsonObject[] = [];
  for (const value of before.keys()) {
    if (!after.has(value)) items.push({ [directives.patch]: 'delete', [key]: value });
  }
  for (const [value, item] of after) {
    const old = before.get(value);
    if (!equalJson(old, item)) items.push({ [key]: value, ...diffObjects(itemSchema, old ?? {}, item) });
  }
  return items;
}

/** The order of the items by their keys, where the list is merged. */
function elementOrder(field: MergeField | undefined, from: unknown, to: unknown): JsonObject[] | undefined {
  if (!field?.merge || !Array.isArray(from) || !Array.isArray(to)) return undefined;
  const { key } = field.merge;
  const items = byKey(to, key);
  return items && byKey(from, key) ? [...items.keys()].map((value) => ({ [key]: value })) : undefined;
}

/** The items by their merge keys; nothing where a key is missing or stands twice. */
function byKey(list: readonly unknown[], key: string): Map<ItemKey, JsonObject> | undefined {
  const items = new Map<ItemKey, JsonObject>();
  for (const item of list) {
    const value = itemKeyOf(item, key);
    if (value === undefined || items.has(value)) return undefined;
    items.set(value, item as JsonObject);
  }
  return items;
}
