import { ruledOf } from './has-rules.ts';
import type { Field, Format, MergeRule, NamedField, ObjectHooks, ObjectSchema, Schema } from './schema.ts';

/** A field being written down. Each method gives a changed copy, so partial fields can be shared. */
export class FieldBuilder<T, Required extends boolean = false> implements Field {
  /** Only for the type checker. */
  declare readonly valueType: T;
  declare readonly requiredType: Required;

  readonly schema: Schema;
  readonly description: string;
  readonly required: boolean;
  readonly default: unknown;
  readonly keepsZero: boolean;
  readonly merge: MergeRule | undefined;

  constructor(schema: Schema, description: string, rest: Partial<Field> = {}) {
    this.schema = schema;
    this.description = description;
    this.required = rest.required ?? false;
    this.default = rest.default;
    this.keepsZero = rest.keepsZero ?? false;
    this.merge = rest.merge;
  }

  /** Absent or empty is a mistake (422, FieldValueRequired). */
  mandatory(): FieldBuilder<T, true> {
    return new FieldBuilder<T, true>(this.schema, this.description, { ...this.#rest(), required: true });
  }

  /** The value taken when none is given. For an object `{}` makes sure it is there with its own defaults. */
  defaultsTo(value: T): FieldBuilder<T, Required> {
    return new FieldBuilder<T, Required>(this.schema, this.description, { ...this.#rest(), default: value });
  }

  /** An explicit zero value is kept and beats the default, where the reference has a pointer or always writes the field. */
  keepZero(): FieldBuilder<T, Required> {
    return new FieldBuilder<T, Required>(this.schema, this.description, { ...this.#rest(), keepsZero: true });
  }

  /** Always there in what is stored: `zero` stands in when nothing was given. */
  always(zero: T): FieldBuilder<T, Required> {
    return this.keepZero().defaultsTo(zero);
  }

  /** Strategic merge treats items with the same `key` as one item. Only for lists of objects. */
  mergeBy(key: string): FieldBuilder<T, Required> {
    return new FieldBuilder<T, Required>(this.schema, this.description, { ...this.#rest(), merge: { key } });
  }

  #rest(): Partial<Field> {
    return { required: this.required, default: this.default, keepsZero: this.keepsZero, merge: this.merge };
  }
}

type AnyField = FieldBuilder<never, boolean> | FieldBuilder<unknown, boolean>;
type ValueOf<F> = F extends FieldBuilder<infer T, boolean> ? T : never;
type MandatoryNames<F> = { [K in keyof F]: F[K] extends FieldBuilder<infer _, true> ? K : never }[keyof F];

/** The TypeScript type of an object with these fields. */
export type FieldsOf<F> = { [K in MandatoryNames<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, MandatoryNames<F>>]?: ValueOf<F[K]>;
};

export function string(description: string, format?: Format): FieldBuilder<string> {
  return new FieldBuilder({ type: 'string', format }, description);
}

/** A string out of a closed list (422, FieldValueNotSupported, for any other). */
export function oneOf<const V extends string>(values: readonly V[], description: string): FieldBuilder<V> {
  return new FieldBuilder({ type: 'string', oneOf: values }, description);
}

export interface IntegerBounds {
  readonly min?: number;
  readonly max?: number;
}

/** A 32-bit integer. */
export function integer(description: string, bounds: IntegerBounds = {}): FieldBuilder<number> {
  return new FieldBuilder({ type: 'integer', bits: 32, ...bounds }, description);
}

/** A 64-bit integer, within what JSON carries exactly. */
export function long(description: string, bounds: IntegerBounds = {}): FieldBuilder<number> {
  return new FieldBuilder({ type: 'integer', bits: 64, ...bounds }, description);
}

export function boolean(description: string): FieldBuilder<boolean> {
  return new FieldBuilder({ type: 'boolean' }, description);
}

export function time(description: string): FieldBuilder<string> {
  return new FieldBuilder({ type: 'time' }, description);
}

export function intOrString(description: string): FieldBuilder<number | string> {
  return new FieldBuilder({ type: 'intOrString' }, description);
}

export function any(description: string): FieldBuilder<unknown> {
  return new FieldBuilder({ type: 'any' }, description);
}

/** One nested object. */
export function one<T>(schema: ObjectSchema<T>, description: string): FieldBuilder<T> {
  return new FieldBuilder(schema as ObjectSchema, description);
}

/** A list of objects. */
export function list<T>(item: ObjectSchema<T>, description: string): FieldBuilder<T[]> {
  return new FieldBuilder({ type: 'list', item: item as ObjectSchema as Schema }, description);
}

/** A list of strings, each under `format` where one is given. */
export function strings(description: string, format?: Format): FieldBuilder<string[]> {
  return new FieldBuilder({ type: 'list', item: { type: 'string', format } }, description);
}

/** A list of strings out of a closed list. */
export function manyOf<const V extends string>(values: readonly V[], description: string): FieldBuilder<V[]> {
  return new FieldBuilder({ type: 'list', item: { type: 'string', oneOf: values } }, description);
}

/** A list of 64-bit integers, each within `bounds` where they are given. */
export function longs(description: string, bounds: IntegerBounds = {}): FieldBuilder<number[]> {
  return new FieldBuilder({ type: 'list', item: { type: 'integer', bits: 64, ...bounds } }, description);
}

export function stringMap(description: string): FieldBuilder<Record<string, string>> {
  return new FieldBuilder({ type: 'map', value: { type: 'string' } }, description);
}

/** Lists of strings by key. */
export function stringsMap(description: string): FieldBuilder<Record<string, string[]>> {
  return new FieldBuilder({ type: 'map', value: { type: 'list', item: { type: 'string' } } }, description);
}

/** Base64 values by key. */
export function bytesMap(description: string): FieldBuilder<Record<string, string>> {
  return new FieldBuilder({ type: 'map', value: { type: 'bytes' } }, description);
}

/** Amounts by resource name. */
export function quantities(description: string): FieldBuilder<Record<string, string>> {
  return new FieldBuilder({ type: 'map', value: { type: 'quantity' } }, description);
}

/** A named object type; its schema is what everything else about it is derived from. */
export function object<T>(
  name: string,
  description: string,
  fields: Readonly<Record<string, AnyField>>,
  hooks: ObjectHooks<T> = {},
): ObjectSchema<T> {
  const fieldList: NamedField[] = Object.entries(fields).map(([fieldName, field]) => ({
    name: fieldName,
    schema: field.schema,
    description: field.description,
    required: field.required,
    default: field.default,
    keepsZero: field.keepsZero,
    merge: field.merge,
  }));
  const lastDefault = fieldList.findLastIndex((field) => field.default !== undefined);
  return {
    type: 'object',
    name,
    description,
    fields,
    fieldList,
    ruledFields: ruledOf(fieldList),
    lastDefault,
    ...hooks,
  };
}
