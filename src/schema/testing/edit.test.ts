import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyEdits } from './edit.ts';

describe('edits of a document', () => {
  test('leave the values they put there as they are', () => {
    const value = {};
    const once = applyEdits({}, [
      { path: ['a'], value },
      { path: ['a', 'b'], value },
      { path: ['a', 'c'], value: 1 },
    ]);
    assert.deepEqual(once, { a: { b: {}, c: 1 } });
    assert.deepEqual(value, {});
  });

  test('keep keys that mean something to JavaScript', () => {
    const document = applyEdits({}, [{ path: ['a', '__proto__'], value: JSON.parse('{"__proto__":1}') }]);
    assert.equal(JSON.stringify(document), '{"a":{"__proto__":{"__proto__":1}}}');
  });
});
