import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decode } from '../schema/decode.ts';
import { applyEdits, breakingEdit, typedEdit } from '../schema/testing/edit.ts';
import { fuzzRuns } from '../schema/testing/fuzz-runs.ts';
import { objectArbitrary } from '../schema/testing/value-arbitrary.ts';
import { validate } from '../schema/validate.ts';
import { kinds } from './index.ts';
import { servedVersions } from './served-version.ts';

for (const served of kinds.flatMap(servedVersions)) {
  const { kind, schema, apiVersion } = served;
  const what = `${kind.kind} of ${apiVersion}`;

  test(`any ${what} decodes, and decoding what came of it changes nothing more`, () => {
    const property = fc.property(objectArbitrary(schema), (body) => {
      const { value, mistakes, unknown } = decode(schema, body);
      assert.deepEqual(mistakes, []);
      assert.deepEqual(unknown, []);
      assert.deepEqual(decode(schema, value).value, value);
      assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
    });
    fc.assert(property, fuzzRuns(40));
  });

  test(`a broken ${what} is decoded or refused, and what is decoded can be checked`, () => {
    const example = served.conversion?.fromStored(decode(kind.schema, kind.example).value) ?? kind.example;
    const edits = fc.array(fc.oneof(breakingEdit(schema), typedEdit(schema)), { minLength: 1, maxLength: 5 });
    const property = fc.property(edits, (changes) => {
      const { value, mistakes } = decode(schema, applyEdits(example, changes));
      if (mistakes.length > 0) return;
      assert.deepEqual(decode(schema, value), { value, mistakes: [], unknown: [] });
      validate(schema, value);
    });
    fc.assert(property, fuzzRuns(100));
  });
}
