import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { kinds } from '../../kinds/index.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../../kinds/served-version.ts';
import { decode } from '../../schema/decode.ts';
import { applyEdits, typedEdit } from '../../schema/testing/edit.ts';
import { fuzzRuns } from '../../schema/testing/fuzz-runs.ts';
import { objectArbitrary } from '../../schema/testing/value-arbitrary.ts';
import { createJsonPatch } from './json-patch-diff.ts';
import type { JsonObject } from './json.ts';
import { createMergePatch } from './merge-patch.ts';
import { applyPatch, type PatchType } from './patch.ts';
import { createStrategicMergePatch } from './strategic-merge-diff.ts';

/** Two objects of one kind: two that are near to each other, or any two. */
function pairs({ kind, schema, conversion }: ServedVersion): fc.Arbitrary<readonly [JsonObject, JsonObject]> {
  const stored = decode(kind.schema, kind.example).value;
  const example: ApiObject = conversion?.fromStored(stored) ?? stored;
  const edits = fc.array(typedEdit(schema), { maxLength: 4 });
  const near = edits.map((changes) => applyEdits(example, changes));
  const any = objectArbitrary(schema);
  return fc
    .oneof(fc.tuple(near, near), fc.tuple(near, near), fc.tuple(any, any))
    .map(([a, b]) => [decoded(schema, a), decoded(schema, b)] as const);
}

function decoded(schema: ServedVersion['schema'], body: unknown): JsonObject {
  return decode(schema, body).value as unknown as JsonObject;
}

type Diff = (schema: ServedVersion['schema'], from: JsonObject, to: JsonObject) => unknown;

const diffs: Readonly<Record<PatchType, Diff>> = {
  'application/json-patch+json': (_schema, from, to) => createJsonPatch(from, to),
  'application/merge-patch+json': (_schema, from, to) => createMergePatch(from, to),
  'application/strategic-merge-patch+json': (schema, from, to) => createStrategicMergePatch(schema, from, to),
};

for (const served of kinds.flatMap(servedVersions)) {
  const { kind, schema, apiVersion } = served;
  for (const [type, diff] of Object.entries(diffs)) {
    test(`the ${type} between two objects makes one ${kind.kind} of ${apiVersion} into the other`, () => {
      const property = fc.property(pairs(served), ([from, to]) => {
        const before = structuredClone(from);
        const patched = applyPatch({ type, schema, document: from, patch: diff(schema, from, to) });
        assert.deepEqual(patched, to);
        assert.deepEqual(from, before);
      });
      fc.assert(property, fuzzRuns(40));
    });
  }
}
