import { equalJson, isJsonObject, type JsonObject } from './json.ts';
import { formatPointer } from './json-pointer.ts';

/** An operation as it goes over the wire. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** A JSON patch that makes `to` out of `from`. */
export function createJsonPatch(from: JsonObject, to: JsonObject): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(from, to, [], operations);
  return operations;
}

function compare(from: unknown, to: unknown, path: readonly string[], operations: JsonPatchOperation[]): void {
  if (equalJson(from, to)) return;
  if (isJsonObject(from) && isJsonObject(to)) compareObjects(from, to, path, operations);
  else if (Array.isArray(from) && Array.isArray(to)) compareLists(from, to, path, operations);
  else operations.push({ op: 'replace', path: formatPointer(path), value: to });
}

function compareObjects(
  from: JsonObject,
  to: JsonObject,
  path: readonly string[],
  operations: JsonPatchOperation[],
): void {
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) operations.push({ op: 'remove', path: formatPointer([...path, key]) });
  }
  for (const key of Object.keys(to)) {
    const inner = [...path, key];
    if (Object.hasOwn(from, key)) compare(from[key], to[key], inner, operations);
    else operations.push({ op: 'add', path: formatPointer(inner), value: to[key] });
  }
}

function compareLists(
  from: readonly unknown[],
  to: readonly unknown[],
  path: readonly string[],
  operations: JsonPatchOperation[],
): void {
  const shared = Math.min(from.length, to.length);
  for (let i = 0; i < shared; i++) compare(from[i], to[i], [...path, String(i)], operations);
  // From the end, so that the positions of what is still to be removed do not shift.
  for (let i = from.length - 1; i >= shared; i--) {
    operations.push({ op: 'remove', path: formatPointer([...path, String(i)]) });
  }
  for (let i = shared; i < to.length; i++) {
    operations.push({ op: 'add', path: formatPointer([...path, '-']), value: to[i] });
  }
}
