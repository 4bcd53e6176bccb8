import * as fc from 'fast-check';
import type { Format, IntegerSchema, NamedField, ObjectSchema, Schema, StringSchema } from '../schema.ts';

/** Objects of this type: right types, within formats and bounds, some fields there and some not, merge keys once in each list. */
export function objectArbitrary(schema: ObjectSchema): fc.Arbitrary<Record<string, unknown>> {
  return new Builder().object(schema, 0);
}

/** Values of this type, as above. */
export function valueArbitrary(schema: Schema): fc.Arbitrary<unknown> {
  return new Builder().value(schema, 2);
}

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);

/** Words for the most part, and what else people write. */
const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: word },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z0-9]([-.][a-z0-9]){0,4}$/) },
  { weight: 1, arbitrary: fc.constantFrom('', '/', '/var/lib/x', '10.0.0.7', '::1', 'a/b', '0', '8080', 'A b\tc\n') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
);

function formatted(format: Format): fc.Arbitrary<string> {
  return fc
    .oneof({ weight: 1, arbitrary: word }, { weight: 1, arbitrary: text })
    .filter((value) => !format.check(value));
}

const int32 = 2 ** 31;
const suffixes = ['', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'n'];

const quantity = fc.oneof(
  fc.constantFrom('1', '100m', '1.5', '2Gi', '0', '1e3', '0.5Mi'),
  fc.tuple(fc.nat(10_000), fc.constantFrom(...suffixes)).map(([amount, suffix]) => `${amount}${suffix}`),
  fc.nat(1000),
);

const time = fc
  .tuple(
    fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('Z', '.25Z', '+02:00', '-11:30'),
  )
  .map(([date, zone]) => `${date.toISOString().slice(0, 19)}${zone}`);

const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array).toString('base64'));

const intOrString = fc.oneof(fc.nat(70_000), fc.constantFrom('25%', '0%', '100%', 'http', '80'), fc.constant(0));

const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('cpu', 'memory', 'pods', 'app', 'tier', 'storage') },
  { weight: 2, arbitrary: word },
  { weight: 1, arbitrary: fc.constantFrom('example.com/key', 'constructor', 'toString', 'a.b') },
);

/** Builds arbitraries; what a type needs is worked out once for each depth. */
class Builder {
  readonly #known = new Map<ObjectSchema, fc.Arbitrary<Record<string, unknown>>[]>();

  object(schema: ObjectSchema, depth: number): fc.Arbitrary<Record<string, unknown>> {
    const known = this.#known.get(schema) ?? [];
    this.#known.set(schema, known);
    return (known[depth] ??= this.fields(schema, depth, undefined));
  }

  /** Deeper fields are rarer, so that objects stay small. `key` is always there. */
  fields(schema: ObjectSchema, depth: number, key: string | undefined): fc.Arbitrary<Record<string, unknown>> {
    const members = schema.fieldList.map((field) => {
      const value = this.field(field, depth + 1);
      if (field.required || field.name === key) return [field.name, value] as const;
      const absent = { weight: 3 + 2 * depth, arbitrary: fc.constant(undefined) };
      return [field.name, fc.oneof(absent, { weight: 2, arbitrary: value })] as const;
    });
    return fc.record(Object.fromEntries(members)).map(withoutAbsent);
  }

  field(field: NamedField, depth: number): fc.Arbitrary<unknown> {
    const { schema, merge } = field;
    if (!merge || schema.type !== 'list' || schema.item.type !== 'object') return this.value(schema, depth);
    return fc.uniqueArray(this.fields(schema.item, depth, merge.key), {
      selector: (item) => item[merge.key],
      maxLength: 3,
    });
  }

  value(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    switch (schema.type) {
      case 'string':
        return stringOf(schema);
      case 'integer':
        return integerOf(schema);
      case 'boolean':
        return fc.boolean();
      case 'quantity':
        return quantity;
      case 'time':
        return time;
      case 'intOrString':
        return intOrString;
      case 'bytes':
        return bytes;
      case 'any':
        return fc.jsonValue({ maxDepth: 2 });
      case 'list':
        return fc.array(this.value(schema.item, depth), { maxLength: 3 });
      case 'map':
        return fc.dictionary(keys, this.value(schema.value, depth), { maxKeys: 3 });
      default:
        return this.object(schema, depth);
    }
  }
}

function stringOf({ oneOf, format }: StringSchema): fc.Arbitrary<string> {
  if (oneOf) return fc.constantFrom(...oneOf);
  return format ? formatted(format) : text;
}

function integerOf({ bits, min, max }: IntegerSchema): fc.Arbitrary<number> {
  const lowest = min ?? (bits === 32 ? -int32 : Number.MIN_SAFE_INTEGER);
  const highest = max ?? (bits === 32 ? int32 - 1 : Number.MAX_SAFE_INTEGER);
  return fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: min ?? 0, max: Math.min(highest, (min ?? 0) + 100) }) },
    { weight: 1, arbitrary: fc.constantFrom(lowest, highest) },
  );
}

function withoutAbsent(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
