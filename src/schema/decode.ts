import { canonicalBase64, canonicalTime, isInteger, zeroTime } from './canonical.ts';
import { canonicalQuantity } from './quantity.ts';
import type { IntegerSchema, NamedField, ObjectSchema, Schema } from './schema.ts';
import { straightDecoders, unusual } from './straight/straight-decoder.ts';

/** A value of the wrong type, and where it stands. */
export interface Mistake {
  readonly field: string;
  readonly message: string;
}

/** What decoding found besides the object. */
export interface Decoded<T> {
  readonly value: T;
  /** The body cannot be read as this type (400). */
  readonly mistakes: readonly Mistake[];
  /** Fields that the type does not have; they were dropped. */
  readonly unknown: readonly string[];
}

/**
 * Reads plain JSON as an object of this type: checks types, drops what is unknown or empty, brings amounts and times into
 * canonical form, fills in defaults, and puts fields in the schema's order. The input is left as it is.
 */
export function decode<T>(schema: ObjectSchema<T>, input: unknown): Decoded<T> {
  const straight = straightDecoders.of(schema as ObjectSchema)?.(input) ?? unusual;
  return straight === unusual ? decodeWithCare(schema, input) : { value: straight as T, mistakes: none, unknown: none };
}

const none: readonly never[] = Object.freeze([]);

/** The same for every input, right or wrong. */
export function decodeWithCare<T>(schema: ObjectSchema<T>, input: unknown): Decoded<T> {
  const reader = new Reader();
  const value = reader.object(schema as ObjectSchema, input);
  return { value: (value ?? {}) as T, mistakes: reader.mistakes, unknown: reader.unknown };
}

/** A body of millions of mistakes is not answered with millions of sentences. */
const mostNoted = 1000;

class Reader {
  readonly mistakes: Mistake[] = [];
  readonly unknown: string[] = [];
  /** Fields, positions in lists, and keys of maps (in brackets). */
  readonly #path: (string | number)[] = [];

  object(schema: ObjectSchema, input: unknown): object | undefined {
    if (!isRecord(input)) return this.#mistake('an object', input);
    const { fieldList, lastDefault } = schema;
    const output: Record<string, unknown> = {};
    let unseen = Object.keys(input).length;
    // Most types have many more fields than an object gives, so the rest is not looked for once all that was given is found.
    for (let i = 0; i < fieldList.length && (unseen > 0 || i <= lastDefault); i++) {
      const field = fieldList[i]!;
      const raw = input[field.name];
      if (raw !== undefined) unseen--;
      const value = raw === undefined || raw === null ? undefined : this.#field(field, raw);
      if (value !== undefined) output[field.name] = value;
      else if (field.default !== undefined) output[field.name] = this.#default(field);
    }
    if (unseen > 0) this.#noteUnknown(schema, input);
    schema.complete?.(output);
    return output;
  }

  #field(field: NamedField, raw: unknown): unknown {
    this.#path.push(field.name);
    const value = this.#value(field.schema, raw);
    this.#path.pop();
    return field.keepsZero || !isZero(field.schema, value) ? value : undefined;
  }

  #default(field: NamedField): unknown {
    // Decoding a default object gives a fresh copy with the defaults of its own fields.
    return typeof field.default === 'object' ? this.#value(field.schema, field.default) : field.default;
  }

  #value(schema: Schema, raw: unknown): unknown {
    // The commonest first.
    switch (schema.type) {
      case 'string':
        return typeof raw === 'string' ? raw : this.#mistake('a string', raw);
      case 'object':
        return this.object(schema, isEmptyList(raw) ? {} : raw);
      case 'list':
        return this.#list(schema.item, raw);
      case 'map':
        return this.#map(schema.value, raw);
      case 'integer':
        return this.#integer(schema, raw);
      case 'boolean':
        return typeof raw === 'boolean' ? raw : this.#mistake('true or false', raw);
      case 'quantity':
        return this.#quantity(raw);
      case 'time':
        return this.#time(raw);
      case 'intOrString':
        if (typeof raw === 'string') return raw;
        return typeof raw === 'number' && isInteger(raw, 32) ? raw : this.#mistake('an integer or a string', raw);
      case 'bytes':
        return this.#bytes(raw);
      default:
        return raw;
    }
  }

  #integer(schema: IntegerSchema, raw: unknown): number | undefined {
    // Digits in quotes are an integer too, as in the reference.
    const value = typeof raw === 'string' && numeral.test(raw) ? Number(raw) : raw;
    if (typeof value === 'number' && isInteger(value, schema.bits)) return value === 0 ? 0 : value;
    return this.#mistake(`an integer of ${schema.bits} bits`, raw);
  }

  #quantity(raw: unknown): string | undefined {
    const text = typeof raw === 'number' ? String(raw) : raw;
    const canonical = typeof text === 'string' ? canonicalQuantity(text) : undefined;
    return canonical ?? this.#mistake('an amount such as 250m, 1.5 or 2Gi', raw);
  }

  #time(raw: unknown): string | undefined {
    const moment = typeof raw === 'string' ? canonicalTime(raw) : undefined;
    return moment ?? this.#mistake('a time in RFC 3339, such as 2030-01-31T12:00:00Z', raw);
  }

  #bytes(raw: unknown): string | undefined {
    const text = typeof raw === 'string' ? canonicalBase64(raw) : undefined;
    return text ?? this.#mistake('base64 text', raw);
  }

  #list(item: Schema, raw: unknown): unknown[] | undefined {
    if (isEmptyObject(raw)) return [];
    if (!Array.isArray(raw)) return this.#mistake('a list', raw);
    const items: unknown[] = [];
    for (let i = 0; i < raw.length; i++) {
      this.#path.push(i);
      const value = this.#value(item, raw[i] ?? zeroOf(item));
      this.#path.pop();
      if (value !== undefined) items.push(value);
    }
    return items;
  }

  #map(valueSchema: Schema, raw: unknown): Record<string, unknown> | undefined {
    if (!isRecord(raw)) return this.#mistake('an object', raw);
    const output: Record<string, unknown> = {};
    for (const key of Object.keys(raw)) {
      const value = this.#entry(valueSchema, key, raw[key] ?? zeroOf(valueSchema));
      if (value !== undefined) setOwn(output, key, value);
    }
    return output;
  }

  #entry(schema: Schema, key: string, raw: unknown): unknown {
    // Labels and annotations: nearly all maps are of this type, and need no place to be named.
    if (schema.type === 'string' && typeof raw === 'string') return raw;
    this.#path.push(`[${key}]`);
    const value = this.#value(schema, raw);
    this.#path.pop();
    return value;
  }

  #noteUnknown(schema: ObjectSchema, input: Record<string, unknown>): void {
    for (const key of Object.keys(input)) {
      if (this.unknown.length >= mostNoted) return;
      if (!Object.hasOwn(schema.fields, key)) this.unknown.push(this.#where(key));
    }
  }

  #mistake(wanted: string, raw: unknown): undefined {
    if (this.mistakes.length >= mostNoted) return undefined;
    this.mistakes.push({ field: this.#where(), message: `expected ${wanted}, got ${describe(raw)}` });
    return undefined;
  }

  #where(last?: string): string {
    const parts = last === undefined ? this.#path : [...this.#path, last];
    const words = parts.map((part) => (typeof part === 'number' ? `[${part}]` : part));
    return words.join('.').replaceAll('.[', '[');
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the reference leaves out of its answers. Empty objects stay: an `emptyDir: {}` means something. */
function isZero(schema: Schema, value: unknown): boolean {
  if (schema.type === 'list') return (value as unknown[] | undefined)?.length === 0;
  if (schema.type === 'map') return value !== undefined && Object.keys(value as object).length === 0;
  return value === '' || value === 0 || value === false || (schema.type === 'time' && value === zeroTime);
}

/** What a null stands for as an item of a list or as a value of a map. As in the reference, it is no string, number or boolean. */
function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'bytes':
      return '';
    case 'list':
      return [];
    case 'map':
    case 'object':
      return {};
    default:
      return null;
  }
}

const numeral = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/;

// The reference reads a list as the fields of an object in turn, and an object as the items of a list: where there are none, either is the other.
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isEmptyObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Sets a key that came from outside; `__proto__` is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
