import { numbersOf, type FieldNumber, type MessageNumbers } from '../protobuf/message-numbers.ts';
import type { Field, ObjectSchema, Schema } from '../schema.ts';
import { delimitedField, varintField, varint } from './wire-bytes.ts';

export interface MessageWriting {
  readonly numbers: MessageNumbers;
  /** Also writes what was never set as zero values and empty messages, as clients in Go do for all that is no pointer. */
  readonly zeros?: boolean;
  /** Writes lists of numbers in one piece. */
  readonly packed?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** An object in protobuf: what `readMessage` gives back. Fields without a number are left out. */
export function writeMessage(schema: ObjectSchema, value: Fields, writing: MessageWriting): Buffer {
  const parts = new Map<number, Buffer[]>();
  const written: Buffer[] = [];
  for (const [name, number] of Object.entries(numbersOf(writing.numbers, schema.name))) {
    const [outer, inner] = placeOf(number);
    const bytes = fieldBytes(inner, schema.fields[name], value[name], writing);
    if (outer === undefined) written.push(bytes);
    else parts.set(outer, [...(parts.get(outer) ?? []), bytes]);
  }
  for (const [number, fields] of parts) written.push(delimitedField(number, ...fields));
  return Buffer.concat(written);
}

function placeOf(number: FieldNumber): readonly [number | undefined, number] {
  return typeof number === 'number' ? [undefined, number] : number;
}

function fieldBytes(number: number, field: Field | undefined, value: unknown, writing: MessageWriting): Buffer {
  if (field && value !== undefined) return valueBytes(number, field.schema, value, writing);
  return writing.zeros ? zeroBytes(number, field) : Buffer.alloc(0);
}

/** Fields that keep a zero are pointers there, and those that are absent are not written. */
function zeroBytes(number: number, field: Field | undefined): Buffer {
  if (!field) return delimitedField(number, delimitedField(1), varintField(2, 0), delimitedField(3, delimitedField(1)));
  const { schema, keepsZero, default: standard } = field;
  if (keepsZero || schema.type === 'list' || schema.type === 'map') return Buffer.alloc(0);
  if (schema.type === 'integer' || schema.type === 'boolean') return varintField(number, 0);
  if (schema.type === 'intOrString') return intOrStringBytes(number, 0);
  const isAlwaysThere = schema.type !== 'object' || JSON.stringify(standard) === '{}';
  return isAlwaysThere ? delimitedField(number) : Buffer.alloc(0);
}

function valueBytes(number: number, schema: Schema, value: unknown, writing: MessageWriting): Buffer {
  switch (schema.type) {
    case 'object':
      return delimitedField(number, writeMessage(schema, value as Fields, writing));
    case 'list':
      return listBytes(number, schema.item, value as unknown[], writing);
    case 'map':
      return Buffer.concat(
        Object.entries(value as Fields).map((entry) => entryBytes(number, schema.value, entry, writing)),
      );
    case 'integer':
    case 'boolean':
      return varintField(number, Number(value));
    case 'bytes':
      return delimitedField(number, Buffer.from(value as string, 'base64'));
    case 'quantity':
      return delimitedField(number, delimitedField(1, value as string));
    case 'time':
      return delimitedField(number, varintField(1, Date.parse(value as string) / 1000), varintField(2, 0));
    case 'intOrString':
      return intOrStringBytes(number, value as number | string);
    case 'any':
      return delimitedField(number, delimitedField(1, JSON.stringify(value)));
    default:
      return delimitedField(number, value as string);
  }
}

function listBytes(number: number, item: Schema, values: readonly unknown[], writing: MessageWriting): Buffer {
  if (writing.packed && item.type === 'integer') {
    return delimitedField(number, ...values.map((value) => varint(value as number)));
  }
  return Buffer.concat(values.map((value) => valueBytes(number, item, value, writing)));
}

function entryBytes(number: number, schema: Schema, [key, value]: [string, unknown], writing: MessageWriting): Buffer {
  const bytes =
    schema.type === 'list'
      ? delimitedField(2, listBytes(1, schema.item, value as unknown[], writing))
      : valueBytes(2, schema, value, writing);
  return delimitedField(number, delimitedField(1, key), bytes);
}

function intOrStringBytes(number: number, value: number | string): Buffer {
  const isText = typeof value === 'string';
  return delimitedField(
    number,
    varintField(1, isText ? 1 : 0),
    varintField(2, isText ? 0 : value),
    delimitedField(3, isText ? value : ''),
  );
}
