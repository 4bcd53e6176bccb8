import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { decode, decodeWithCare } from '../schema/decode.ts';
import { breakingEdit, applyEdits, typedEdit } from '../schema/testing/edit.ts';
import { fuzzRuns } from '../schema/testing/fuzz-runs.ts';
import { straightDecoders, unusual } from '../schema/straight/straight-decoder.ts';
import { validate, validateWithCare } from '../schema/validate.ts';
import { kinds } from './index.ts';
import { servedVersions, type ServedVersion } from './served-version.ts';

const often = 100;

/** Short cuts are only taken by what is used often. */
function warmUp({ schema }: ServedVersion, example: object): void {
  for (let i = 0; i < often; i++) validate(schema, decode(schema, example).value);
}

for (const kind of kinds) {
  const [served] = servedVersions(kind);
  assert.ok(served);
  describe(`the short cuts of ${kind.kind}`, () => suite(served, kind.example));
}

function suite(served: ServedVersion, example: object): void {
  const { schema } = served;
  warmUp(served, example);

  test('are open to the example', () => {
    const text = JSON.stringify(example);
    assert.notEqual(straightDecoders.of(schema)?.(JSON.parse(text)) ?? unusual, unusual);
  });

  test('lead to the same as the long way', () => {
    const edits = fc.array(fc.oneof(typedEdit(schema), breakingEdit(schema)), { maxLength: 4 });
    const property = fc.property(edits, (changes) => {
      const body = JSON.parse(JSON.stringify(applyEdits(example, changes))) as unknown;
      const before = JSON.stringify(body);
      const short = decode(schema, body);
      const long = decodeWithCare(schema, body);
      assert.equal(JSON.stringify(body), before);
      assert.deepEqual(short, long);
      // Also the order of the fields.
      assert.equal(JSON.stringify(short.value), JSON.stringify(long.value));
      if (long.mistakes.length > 0) return;
      assert.deepEqual(validate(schema, short.value).list, validateWithCare(schema, long.value).list);
    });
    fc.assert(property, fuzzRuns(60));
  });
}
