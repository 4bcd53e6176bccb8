import { badRequest } from '../../kinds/meta/api-error.ts';
import { findJsonFault, maxJsonDepth, type JsonFault } from './json-fault.ts';

/**
 * Strict JSON: what `JSON.parse` takes, less what it takes silently (keys given twice, numbers it cannot hold, `__proto__`).
 * Refusals are 400 and say what is wrong, in which line and column, and under which field.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw syntaxRefusal(text, error);
  }
  // A key that comes twice stands twice in the text and once in the value: counting tells, without a look at the keys.
  if (countMembers(value, 0) !== countKeys(text)) {
    const fault = findJsonFault(text);
    if (fault) throw refusal(fault);
  }
  return value;
}

function syntaxRefusal(text: string, cause: unknown): Error {
  const fault = findJsonFault(text);
  return fault ? refusal(fault, { cause }) : badRequest('the body is not valid JSON', { cause });
}

function refusal(fault: JsonFault, options?: ErrorOptions): Error {
  const where = `line ${fault.line}, column ${fault.column}${fault.field ? `, in ${fault.field}` : ''}`;
  return badRequest(`the JSON cannot be read: ${fault.what} (${where})`, options);
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

const backslash = 0x5c;
const colon = 0x3a;
const space = 0x20;

/** The number of strings that stand before a colon. The text is known to be JSON, so only its strings need a look, and `indexOf` finds those fast. */
function countKeys(text: string): number {
  let keys = 0;
  let open = text.indexOf('"');
  while (open !== -1) {
    let next = closingQuote(text, open) + 1;
    let code = text.charCodeAt(next);
    while (code <= space) code = text.charCodeAt(++next);
    if (code === colon) keys++;
    open = text.indexOf('"', next);
  }
  return keys;
}

/** Where the string that opens at `open` ends: at the first quote behind an even number of backslashes. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (text.charCodeAt(close - 1) === backslash) {
    let before = close - 2;
    while (text.charCodeAt(before) === backslash) before--;
    if ((close - before) % 2 === 1) break;
    close = text.indexOf('"', close + 1);
  }
  return close;
}
