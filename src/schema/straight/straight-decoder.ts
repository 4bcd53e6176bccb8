import { canonicalBase64, canonicalTime, isInteger, zeroTime } from '../canonical.ts';
import { canonicalQuantity } from '../quantity.ts';
import type { NamedField, ObjectSchema, Schema } from '../schema.ts';
import { FunctionSource } from './function-source.ts';
import { OftenUsed } from './often-used.ts';

/** What a straight decoder gives for whatever it leaves to the one that takes care of everything. */
export const unusual: unique symbol = Symbol('unusual');

type StraightDecoder = (input: unknown) => unknown;

/**
 * Decoders that read what is as it should be, and nothing else: no unknown fields, no nulls in lists, no mistakes. They are written out field by field, as
 * one would by hand for a single type: looking fields up by name in a loop takes several times as long. What they give is what `decode` gives.
 */
export const straightDecoders = new OftenUsed<ObjectSchema, StraightDecoder>(sharedDecoder);

function objectDecoder(schema: ObjectSchema): StraightDecoder {
  const source = new FunctionSource();
  const [giveUp, isEmpty] = [source.nameOf(unusual), source.nameOf(isEmptyMap)];
  source.add(`if (typeof input !== 'object' || input === null || Array.isArray(input)) return ${giveUp};`);
  source.add('let unseen = 0; for (const name in input) unseen++;');
  source.add('const output = {}; let value;');
  for (const field of schema.fieldList) addField(source, field, { giveUp, isEmpty });
  source.add(`if (unseen !== 0) return ${giveUp};`);
  if (schema.complete) source.add(`${source.nameOf((output: object) => schema.complete!(output))}(output);`);
  source.add('return output;');
  return source.build(['input']);
}

interface Names {
  readonly giveUp: string;
  readonly isEmpty: string;
}

function addField(source: FunctionSource, field: NamedField, { giveUp, isEmpty }: Names): void {
  const name = JSON.stringify(field.name);
  const { schema, keepsZero } = field;
  source.add(`value = input[${name}];`);
  source.add('if (value !== undefined) unseen--; else value = null;');
  source.add('if (value !== null) {');
  const test = plainTest(schema);
  if (test) source.add(`if (!(${test})) return ${giveUp};`);
  else source.add(`value = ${source.nameOf(valueDecoder(schema))}(value); if (value === ${giveUp}) return ${giveUp};`);
  if (!keepsZero) source.add(`if (${zeroTest(schema, isEmpty)}) value = null;`);
  source.add('}');
  source.add(`if (value !== null) output[${name}] = value;`);
  if (field.default !== undefined) source.add(`else output[${name}] = ${defaultText(source, field)};`);
}

/** An object is decoded each time, so that each gets its own. */
function defaultText(source: FunctionSource, { schema, default: value }: NamedField): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  return `${source.nameOf(valueDecoder(schema))}(${source.nameOf(value)})`;
}

/** For values that are kept as they come, where they are of the right type. */
function plainTest(schema: Schema): string | undefined {
  if (schema.type === 'string') return "typeof value === 'string'";
  if (schema.type === 'boolean') return "typeof value === 'boolean'";
  if (schema.type === 'integer' && schema.bits === 32) return '(value | 0) === value';
  return undefined;
}

function zeroTest(schema: Schema, isEmpty: string): string {
  if (schema.type === 'list') return 'value.length === 0';
  if (schema.type === 'map') return `${isEmpty}(value)`;
  return "value === '' || value === 0 || value === false";
}

function isEmptyMap(map: object): boolean {
  for (const _ in map) return false;
  return true;
}

function valueDecoder(schema: Schema): StraightDecoder {
  switch (schema.type) {
    case 'string':
      return (raw) => (typeof raw === 'string' ? raw : unusual);
    case 'boolean':
      return (raw) => (typeof raw === 'boolean' ? raw : unusual);
    case 'integer':
      return (raw) => (typeof raw === 'number' && isInteger(raw, schema.bits) ? raw : unusual);
    case 'intOrString':
      return (raw) => (typeof raw === 'string' || (typeof raw === 'number' && isInteger(raw, 32)) ? raw : unusual);
    case 'quantity':
      return (raw) => (typeof raw === 'string' ? (canonicalQuantity(raw) ?? unusual) : unusual);
    case 'time':
      return decodeTime;
    case 'bytes':
      return (raw) => (typeof raw === 'string' ? (canonicalBase64(raw) ?? unusual) : unusual);
    case 'any':
      return (raw) => raw;
    case 'list':
      return listDecoder(valueDecoder(schema.item));
    case 'map':
      return mapDecoder(valueDecoder(schema.value));
    default:
      return laterDecoder(schema);
  }
}

function decodeTime(raw: unknown): unknown {
  const moment = typeof raw === 'string' ? canonicalTime(raw) : undefined;
  return moment === undefined || moment === zeroTime ? unusual : moment;
}

const decoders = new WeakMap<ObjectSchema, StraightDecoder>();

/** Made when the first value comes: types can be parts of themselves, and of many others. */
function laterDecoder(schema: ObjectSchema): StraightDecoder {
  let decoder: StraightDecoder | undefined;
  return (raw) => (decoder ??= sharedDecoder(schema))(raw);
}

function sharedDecoder(schema: ObjectSchema): StraightDecoder {
  let decoder = decoders.get(schema);
  if (!decoder) decoders.set(schema, (decoder = objectDecoder(schema)));
  return decoder;
}

function listDecoder(decodeItem: StraightDecoder): StraightDecoder {
  return (raw) => {
    if (!Array.isArray(raw)) return unusual;
    const items: unknown[] = [];
    for (let i = 0; i < raw.length; i++) {
      const item: unknown = raw[i] === null || raw[i] === undefined ? unusual : decodeItem(raw[i]);
      if (item === unusual) return unusual;
      items.push(item);
    }
    return items;
  };
}

function mapDecoder(decodeValue: StraightDecoder): StraightDecoder {
  return (raw) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return unusual;
    const output: Record<string, unknown> = {};
    for (const key in raw) {
      const given = (raw as Record<string, unknown>)[key];
      const value = given === null || given === undefined || key === '__proto__' ? unusual : decodeValue(given);
      if (value === unusual) return unusual;
      output[key] = value;
    }
    return output;
  };
}
