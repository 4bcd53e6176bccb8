import { isDeepStrictEqual } from 'node:util';
import { parseQuantity } from './quantity.ts';
import type { ObjectSchema, Schema } from './schema.ts';

/**
 * Whether two decoded values of one type say the same: amounts count by value, an empty list or map is as good as none,
 * and the order of keys does not matter.
 */
export function equal(schema: Schema, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  switch (schema.type) {
    case 'list':
      return equalLists(schema.item, (a ?? []) as unknown[], (b ?? []) as unknown[]);
    case 'map':
      return equalMaps(schema.value, (a ?? {}) as Record<string, unknown>, (b ?? {}) as Record<string, unknown>);
    case 'object':
      return a !== undefined && b !== undefined && equalObjects(schema, a as object, b as object);
    case 'quantity':
      return a !== undefined && b !== undefined && nanosOf(a as string) === nanosOf(b as string);
    case 'any':
      return isDeepStrictEqual(a, b);
    default:
      return false;
  }
}

function equalLists(item: Schema, a: unknown[], b: unknown[]): boolean {
  return a.length === b.length && a.every((each, i) => equal(item, each, b[i]));
}

function equalMaps(value: Schema, a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(value, a[key], b[key]));
}

/** Only what one of them has is compared: most types have many more fields. */
function equalObjects(schema: ObjectSchema, a: object, b: object): boolean {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const isEqual = (name: string): boolean =>
    !Object.hasOwn(schema.fields, name) || equal(schema.fields[name]!.schema, left[name], right[name]);
  return Object.keys(a).every(isEqual) && Object.keys(b).every((name) => left[name] !== undefined || isEqual(name));
}

function nanosOf(amount: string): bigint | undefined {
  return parseQuantity(amount)?.nanos;
}
