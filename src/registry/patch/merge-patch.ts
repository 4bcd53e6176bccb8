import { badRequest } from '../../kinds/meta/api-error.ts';
import { equalJson, isJsonObject, member, setMember, type JsonObject } from './json.ts';

/**
 * Applies a JSON merge patch (RFC 7386): objects merge, `null` removes, everything else replaces. As in the reference, nulls inside lists are left
 * out too.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (!isJsonObject(patch)) throw badRequest('a merge patch is an object');
  return mergeJson(document, patch);
}

/** The rule of RFC 7386 for one object. What is not touched is shared with `target`. */
export function mergeJson(target: unknown, patch: JsonObject): JsonObject {
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete merged[key];
    else setMember(merged, key, isJsonObject(value) ? mergeJson(member(merged, key), value) : withoutNulls(value));
  }
  return merged;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  return isJsonObject(value) ? mergeJson(undefined, value) : value;
}

/** A merge patch that makes `to` out of `from`. What is null in `to` cannot be expressed: it becomes absent. */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) setMember(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const before = member(from, key);
    const after = to[key];
    if (equalJson(before, after)) continue;
    setMember(patch, key, isJsonObject(before) && isJsonObject(after) ? createMergePatch(before, after) : after);
  }
  return patch;
}
