import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import type { JsonObject } from './json.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

test('members are set, changed and, with null, removed', () => {
  const document = { a: 1, b: { c: 2, d: 3 }, e: [1, 2] };
  assert.deepEqual(applyMergePatch(document, { a: 9 }), { ...document, a: 9 });
  assert.deepEqual(applyMergePatch(document, { b: { c: null } }), { ...document, b: { d: 3 } });
  assert.deepEqual(applyMergePatch(document, { e: [3] }), { ...document, e: [3] });
  assert.deepEqual(applyMergePatch(document, { b: null, e: null }), { a: 1 });
  assert.deepEqual(applyMergePatch(document, { a: { x: 1 } }), { ...document, a: { x: 1 } });
  assert.deepEqual(applyMergePatch(document, {}), document);
});

test('nulls inside what is new leave no trace', () => {
  assert.deepEqual(applyMergePatch({}, { a: { b: null, c: { d: null } } }), { a: { c: {} } });
});

test('nulls inside lists leave no trace either', () => {
  assert.deepEqual(applyMergePatch({ a: [1] }, { a: [{ b: null, c: 1 }, null, [null, 2]], d: [null] }), {
    a: [{ c: 1 }, [2]],
    d: [],
  });
});

test('what is no object is refused with 400', () => {
  for (const patch of [[], 'text', 1, null, undefined]) {
    assert.throws(
      () => applyMergePatch({}, patch),
      (error) => error instanceof ApiError && error.code === 400,
    );
  }
});

test('__proto__ is a member like any other', () => {
  const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}') as JsonObject;
  const result = applyMergePatch({ a: 1 }, patch);
  assert.equal(JSON.stringify(result), '{"a":1,"__proto__":{"polluted":true},"constructor":{"x":1}}');
  assert.equal(({} as JsonObject)['polluted'], undefined);
  const removed = applyMergePatch(result, JSON.parse('{"__proto__":null,"constructor":null}'));
  assert.equal(JSON.stringify(removed), '{"a":1}');
});

const key = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '__proto__', 'constructor'));
const { object } = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.oneof(fc.string(), tie('object')), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
}));

test('applying the difference of two documents to the first gives the second', () => {
  fc.assert(
    fc.property(object, object, (a, b) => {
      const from = JSON.parse(JSON.stringify(a)) as JsonObject;
      const to = JSON.parse(JSON.stringify(b)) as JsonObject;
      const before = structuredClone(from);
      assert.deepEqual(applyMergePatch(from, createMergePatch(from, to)), to);
      assert.deepEqual(from, before);
    }),
  );
});

test('equal documents have an empty difference', () => {
  assert.deepEqual(createMergePatch({ a: [{ b: 1 }] }, { a: [{ b: 1 }] }), {});
});
