import { badRequest } from '../../kinds/meta/api-error.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { isJsonObject, member, setMember, type JsonObject } from './json.ts';
import { mergeJson } from './merge-patch.ts';
import { directives, isDirective, readDirective, readRetainedKeys } from './strategic-directives.ts';
import { mergeFieldOf, type MergeField } from './strategic-field.ts';
import { mergeList, type ListRules } from './strategic-list.ts';

/**
 * Applies a strategic merge patch: objects and maps merge, `null` removes, lists merge by key where the schema names one and are replaced
 * otherwise; directives in the patch say what else is wanted. What the schema does not know merges as plain JSON.
 */
export function applyStrategicMergePatch(schema: ObjectSchema, document: JsonObject, patch: unknown): JsonObject {
  // A patch that is null changes nothing, as in the reference.
  if (patch === null) return document;
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch is an object');
  return mergeObject(schema, document, patch, Path.root);
}

/** Merges `patch` into `target`, or into nothing when that is no object. */
function mergeObject(schema: Schema, target: unknown, patch: JsonObject, path: Path): JsonObject {
  if (schema.type !== 'object' && schema.type !== 'map') return mergeJson(target, patch);
  const directive = readDirective(patch, path);
  if (directive === 'delete') return {};
  const merged = directive === 'replace' || !isJsonObject(target) ? {} : { ...target };
  retainKeys(merged, patch, path);
  for (const key of Object.keys(patch)) {
    if (!isDirective(key)) setOrDelete(merged, key, mergeMember(schema, merged, patch, key, path));
  }
  for (const key of directives.listsWithoutItems(patch)) {
    const list = member(merged, key);
    const field = mergeFieldOf(schema, key);
    if (field?.schema.type === 'list' && Array.isArray(list)) {
      merged[key] = mergeList({ ...listRules(field), list, items: [], siblings: patch, name: key, path: path.at(key) });
    }
  }
  return merged;
}

/** The new value of one member; nothing when it goes. */
function mergeMember(schema: Schema, merged: JsonObject, patch: JsonObject, key: string, path: Path): unknown {
  const value = patch[key];
  if (value === null) return undefined;
  const current = member(merged, key);
  const field = mergeFieldOf(schema, key);
  const inner = schema.type === 'map' ? path.key(key) : path.at(key);
  if (isJsonObject(value)) return field ? mergeObject(field.schema, current, value, inner) : mergeJson(current, value);
  if (!Array.isArray(value) || field?.schema.type !== 'list') return value;
  const list = Array.isArray(current) ? current : [];
  return mergeList({ ...listRules(field), list, items: value, siblings: patch, name: key, path: inner });
}

function listRules({ schema, merge }: MergeField): ListRules {
  const itemSchema = schema.type === 'list' ? schema.item : schema;
  return {
    key: merge?.key,
    holdsObjects: itemSchema.type === 'object',
    mergeItem: (current, item, path) => mergeObject(itemSchema, current, item, path),
  };
}

function setOrDelete(object: JsonObject, key: string, value: unknown): void {
  if (value === undefined) delete object[key];
  else setMember(object, key, value);
}

/** `$retainKeys` drops every member that it does not name, so that of a union only the new choice stays. */
function retainKeys(merged: JsonObject, patch: JsonObject, path: Path): void {
  const retained = readRetainedKeys(patch, path);
  if (!retained) return;
  for (const key of Object.keys(merged)) {
    if (!retained.has(key)) delete merged[key];
  }
}
