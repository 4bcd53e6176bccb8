import { badRequest } from '../kinds/meta/api-error.ts';
import { findJsonFault } from './json-fault.ts';

/** Deeper than any object of the API by far, shallow enough that whatever walks a parsed value recursively is safe. */
export const maxJsonDepth = 256;

/**
 * Strict JSON: what `JSON.parse` takes, less what it takes silently (keys given twice, numbers it cannot hold, `__proto__`).
 * Refusals are 400 and say what is wrong, in which line and column, and under which field.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refusal(text, error);
  }
  const members = countMembers(value, 0);
  // A key that comes twice stands twice in the text and once in the value: telling them apart needs no look at the keys themselves.
  if (members !== countColons(text) && findJsonFault(text)) throw refusal(text);
  return value;
}

function refusal(text: string, cause?: unknown): Error {
  const fault = findJsonFault(text);
  const options = cause === undefined ? undefined : { cause };
  if (!fault) return badRequest('the body is not valid JSON', options);
  const where = `line ${fault.line}, column ${fault.column}${fault.field ? `, in ${fault.field}` : ''}`;
  return badRequest(`the body is not valid JSON: ${fault.what} (${where})`, options);
}

const suspicious = -1;

/** The number of members of all objects in the value; `suspicious` when something in it needs a closer look. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? suspicious : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= maxJsonDepth) return suspicious;
  return Array.isArray(value) ? countInArray(value, depth) : countInObject(value as Record<string, unknown>, depth);
}

function countInArray(array: readonly unknown[], depth: number): number {
  let total = 0;
  for (const item of array) {
    const members = countMembers(item, depth + 1);
    if (members === suspicious) return suspicious;
    total += members;
  }
  return total;
}

function countInObject(object: Record<string, unknown>, depth: number): number {
  let total = 0;
  for (const key in object) {
    if (key === '__proto__') return suspicious;
    const members = countMembers(object[key], depth + 1);
    if (members === suspicious) return suspicious;
    total += members + 1;
  }
  return total;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Colons outside strings. The text is known to be JSON. */
function countColons(text: string): number {
  let colons = 0;
  const end = text.length;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === colon) {
      colons++;
    } else if (code === quote) {
      for (at++; ; at++) {
        const inside = text.charCodeAt(at);
        if (inside === quote) break;
        if (inside === backslash) at++;
      }
    }
  }
  return colons;
}
