import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { decode } from '../schema/decode.ts';
import type { ObjectSchema, Schema } from '../schema/schema.ts';
import { applyEdits, breakingEdit, typedEdit } from '../schema/testing/edit.ts';
import { fuzzRuns } from '../schema/testing/fuzz-runs.ts';
import { validate } from '../schema/validate.ts';
import { kinds } from './index.ts';
import type { Kind } from './kind.ts';
import type { ApiObject } from './meta/object-meta.ts';
import { renameField } from './rename-field.ts';
import { servedVersions, type ServedVersion } from './served-version.ts';

/** The schema of what a field path leads to; undefined where the type has no such field. */
function schemaAt(schema: Schema, field: string): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const name of field.replaceAll(/\[[^\]]*\]/g, '').split('.')) {
    while (found?.type === 'list' || found?.type === 'map') found = found.type === 'list' ? found.item : found.value;
    found = found?.type === 'object' ? found.fields[name]?.schema : undefined;
  }
  return found;
}

/** The paths of all fields, items of lists left out of them. */
function fieldsIn(schema: Schema, path: string[] = []): string[] {
  if (schema.type === 'list') return fieldsIn(schema.item, path);
  if (schema.type === 'map') return fieldsIn(schema.value, path);
  if (schema.type !== 'object') return [];
  return schema.fieldList.flatMap(({ name, schema: type }) => [
    [...path, name].join('.'),
    ...fieldsIn(type, [...path, name]),
  ]);
}

function isValid(kind: Kind, object: ApiObject): boolean {
  return !validate(kind.schema, object).any;
}

/** Objects near the example, decoded in this version. What they call themselves was looked at before. */
function near(schema: ObjectSchema<ApiObject>, example: ApiObject): fc.Arbitrary<ApiObject> {
  const { kind, apiVersion } = example;
  return fc
    .array(typedEdit(schema), { maxLength: 5 })
    .map((edits) => ({ ...decode(schema, applyEdits(example, edits)).value, kind, apiVersion }));
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

for (const kind of kinds.filter(({ otherVersions = [] }) => otherVersions.length > 0)) {
  const [, ...others] = servedVersions(kind);
  const stored = decode(kind.schema, kind.example).value;
  for (const [index, served] of others.entries()) {
    describe(`${kind.kind} of ${served.apiVersion}`, () => suite(kind, served, stored, index));
  }
}

function suite(kind: Kind, { schema, conversion, apiVersion }: ServedVersion, stored: ApiObject, index: number): void {
  assert.ok(conversion);
  const { renamedFields } = kind.otherVersions![index]!;

  test('what is stored comes back unchanged from its way through this version', () => {
    const property = fc.property(near(kind.schema, stored), (object) => {
      fc.pre(isValid(kind, object));
      const served = conversion.fromStored(frozen(object));
      assert.equal(served.apiVersion, apiVersion);
      assert.deepEqual(conversion.toStored(served), object);
      assert.deepEqual(decode(schema, served), { value: served, mistakes: [], unknown: [] });
    });
    fc.assert(property, fuzzRuns(200));
  });

  test('what is written in this version comes back unchanged from storage', () => {
    const property = fc.property(near(schema, conversion.fromStored(stored)), (object) => {
      const inStorage = conversion.toStored(frozen(object));
      assert.equal(inStorage.apiVersion, stored.apiVersion);
      assert.deepEqual(conversion.fromStored(inStorage), object);
      if (!isValid(kind, inStorage)) return;
      const { value, mistakes, unknown } = decode(kind.schema, inStorage);
      assert.deepEqual({ mistakes, unknown }, { mistakes: [], unknown: [] });
      // A version may leave labels out that the stored one takes from the template.
      if (!inStorage.metadata.labels) delete value.metadata.labels;
      assert.deepEqual(value, inStorage);
    });
    fc.assert(property, fuzzRuns(200));
  });

  test('each field that only one of the versions has is named as renamed', () => {
    for (const [storedAs, servedAs] of Object.entries(renamedFields)) {
      assert.ok(schemaAt(kind.schema, storedAs), `${storedAs} is no field of what is stored`);
      assert.ok(schemaAt(schema, servedAs), `${servedAs} is no field of ${apiVersion}`);
    }
    const missing = fieldsIn(kind.schema).filter((field) => !schemaAt(schema, field));
    assert.deepEqual(
      missing.filter((field) => renameField(renamedFields, field) === field),
      [],
    );
    const named = Object.values(renamedFields);
    const added = fieldsIn(schema).filter((field) => !schemaAt(kind.schema, field));
    const isWithin = (field: string, place: string): boolean => field === place || field.startsWith(`${place}.`);
    assert.deepEqual(
      added.filter((field) => !named.some((name) => isWithin(field, name) || isWithin(name, field))),
      [],
    );
  });

  test('mistakes stand at fields that this version has', () => {
    const example = conversion.fromStored(stored);
    const edits = fc.array(fc.oneof(typedEdit(schema), breakingEdit(schema)), { minLength: 1, maxLength: 5 });
    const property = fc.property(edits, (changes) => {
      const { value, mistakes } = decode(schema, applyEdits(example, changes));
      fc.pre(mistakes.length === 0);
      for (const { field } of validate(kind.schema, conversion.toStored(value)).list) {
        const told = conversion.fieldFromStored(field);
        assert.ok(schemaAt(schema, told), `${field} is told as ${told}`);
      }
    });
    fc.assert(property, fuzzRuns(200));
  });
}
