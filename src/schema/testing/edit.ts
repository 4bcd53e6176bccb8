import * as fc from 'fast-check';
import type { ObjectSchema, Schema } from '../schema.ts';
import { valueArbitrary } from './value-arbitrary.ts';

/** A change of one place in a document. Without `value` what is there is taken away. */
export interface Edit {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

interface Place {
  readonly path: Edit['path'];
  readonly schema: Schema;
}

/** Changes that keep to the type: the outcome decodes, and passes validation often enough to be worth a try. */
export function typedEdit(schema: ObjectSchema): fc.Arbitrary<Edit> {
  const places = placesIn(schema);
  return fc.nat(places.length - 1).chain((index) => {
    const place = places[index]!;
    return fc.record({ path: positions(place.path), value: valueArbitrary(place.schema) });
  });
}

/** Changes that break something: types, mandatory fields, bounds, names that no field has. */
export function breakingEdit(schema: ObjectSchema): fc.Arbitrary<Edit> {
  const places = placesIn(schema);
  const path = fc.nat(places.length - 1).chain((index) => positions(places[index]!.path));
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ path, value: strangeValue }) },
    { weight: 2, arbitrary: fc.record({ path }) },
    {
      weight: 2,
      arbitrary: fc.record({
        path: fc.tuple(path, strangeKey).map(([before, key]) => [...before.slice(0, -1), key]),
        value: strangeValue,
      }),
    },
  );
}

const strangeKey = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', ' ', '$patch', 'a.b', '0'),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Values that are of some other type, too large, too deep, or just odd. */
export const strangeValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, '', [], {}, [null], [[]], [{}], { '': '' }),
  fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e21, 1e308, -1e308, Number.MIN_VALUE, -0, 4294967296),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '\u202e',
    '../..',
    '%2e%2e',
    'a'.repeat(300),
    '🜁'.repeat(70),
    '1e999',
    '-1',
    'NaN',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(20, 400).map(nested),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Every place that a document of this type can have; lists and maps stand for all their items by `*`. */
function placesIn(schema: ObjectSchema): Place[] {
  const places: Place[] = [];
  const visit = (type: Schema, path: Edit['path']): void => {
    if (path.length > 0) places.push({ path, schema: type });
    if (type.type === 'list') visit(type.item, [...path, anyItem]);
    else if (type.type === 'map') visit(type.value, [...path, anyKey]);
    else if (type.type === 'object') for (const field of type.fieldList) visit(field.schema, [...path, field.name]);
  };
  visit(schema, []);
  return places;
}

const anyItem = -1;
const anyKey = '*';

/** Puts a position in each list, mostly the first, and a key in each map. */
function positions(path: Edit['path']): fc.Arbitrary<Edit['path']> {
  const segments = path.map((segment) => {
    if (segment === anyItem) return fc.constantFrom(0, 0, 0, 1, 2);
    return segment === anyKey ? fc.constantFrom('app', 'cpu', 'memory', 'x') : fc.constant(segment);
  });
  return fc.tuple(...segments);
}

/** A copy of the document with the edits made. What a path needs on its way is put there; what is in its way gives way. */
export function applyEdits(document: object, edits: readonly Edit[]): Record<string, unknown> {
  const root = copied(document) as Record<string, unknown>;
  for (const edit of edits) applyEdit(root, edit);
  return root;
}

/** Unlike structuredClone this keeps a key `__proto__`, as a request's body would. */
function copied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function applyEdit(root: Record<string, unknown>, { path, value }: Edit): void {
  let parent: object = root;
  for (const [i, segment] of path.entries()) {
    if (i === path.length - 1) break;
    parent = step(parent, segment, path[i + 1]!);
  }
  const last = path.at(-1)!;
  if (value === undefined) removeFrom(parent, last);
  // A copy: a later edit may lead into it, and the same value may come again, in this document and in others.
  else setIn(parent, last, copied(value));
}

function step(parent: object, segment: string | number, next: string | number): object {
  const key = Array.isArray(parent) ? Math.min(Number(segment), parent.length) : segment;
  const found = Object.hasOwn(parent, key) ? (parent as Record<string | number, unknown>)[key] : undefined;
  if (typeof found === 'object' && found !== null) return found;
  const made = typeof next === 'number' ? [] : {};
  setIn(parent, segment, made);
  return made;
}

function setIn(parent: object, segment: string | number, value: unknown): void {
  const key = Array.isArray(parent) ? Math.min(Number(segment), parent.length) : segment;
  Object.defineProperty(parent, Number.isNaN(key) ? 0 : key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function removeFrom(parent: object, segment: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(segment), 1);
  else Reflect.deleteProperty(parent, segment);
}
