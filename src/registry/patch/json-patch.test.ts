import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { createJsonPatch } from './json-patch-diff.ts';
import { applyJsonPatch } from './json-patch.ts';
import type { JsonObject } from './json.ts';

const document = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'settings', labels: { app: 'web' } },
  data: { a: '1', b: '2' },
  list: ['x', 'y', 'z'],
};

function refusal(patch: unknown): ApiError {
  try {
    applyJsonPatch(document, patch);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  throw new assert.AssertionError({ message: 'the patch was applied' });
}

function dataAfter(...operations: object[]): unknown {
  return applyJsonPatch(document, operations)['data'];
}

function listAfter(...operations: object[]): unknown {
  return applyJsonPatch(document, operations)['list'];
}

test('add sets a member, whether it was there or not', () => {
  assert.deepEqual(dataAfter({ op: 'add', path: '/data/c', value: '3' }), { a: '1', b: '2', c: '3' });
  assert.deepEqual(dataAfter({ op: 'add', path: '/data/a', value: '9' }), { a: '9', b: '2' });
});

test('add inserts into a list at a position, at its end, or behind it with "-"', () => {
  assert.deepEqual(listAfter({ op: 'add', path: '/list/1', value: 'new' }), ['x', 'new', 'y', 'z']);
  assert.deepEqual(listAfter({ op: 'add', path: '/list/3', value: 'new' }), ['x', 'y', 'z', 'new']);
  assert.deepEqual(listAfter({ op: 'add', path: '/list/-', value: 'new' }), ['x', 'y', 'z', 'new']);
});

test('replace changes a member or an item, and adds a member that is missing', () => {
  assert.deepEqual(dataAfter({ op: 'replace', path: '/data/a', value: '9' }), { a: '9', b: '2' });
  assert.deepEqual(dataAfter({ op: 'replace', path: '/data/c', value: '9' }), { a: '1', b: '2', c: '9' });
  assert.deepEqual(listAfter({ op: 'replace', path: '/list/0', value: 'new' }), ['new', 'y', 'z']);
});

test('remove takes out members and items, and passes for a member that is missing', () => {
  assert.deepEqual(dataAfter({ op: 'remove', path: '/data/a' }), { b: '2' });
  assert.deepEqual(dataAfter({ op: 'remove', path: '/data/none' }), { a: '1', b: '2' });
  assert.deepEqual(listAfter({ op: 'remove', path: '/list/1' }), ['x', 'z']);
});

test('move takes a value to another place', () => {
  assert.deepEqual(dataAfter({ op: 'move', from: '/data/a', path: '/data/c' }), { b: '2', c: '1' });
  assert.deepEqual(listAfter({ op: 'move', from: '/list/0', path: '/list/2' }), ['y', 'z', 'x']);
  assert.deepEqual(dataAfter({ op: 'move', from: '/data/a', path: '/data/a' }), document.data);
});

test('copy leaves the value where it was, and the two do not share', () => {
  const result = applyJsonPatch(document, [
    { op: 'copy', from: '/data', path: '/more' },
    { op: 'add', path: '/more/c', value: '3' },
  ]);
  assert.deepEqual(result['data'], { a: '1', b: '2' });
  assert.deepEqual(result['more'], { a: '1', b: '2', c: '3' });
});

test('test compares values as JSON and does not change them', () => {
  assert.deepEqual(dataAfter({ op: 'test', path: '/data', value: { b: '2', a: '1' } }), document.data);
  assert.deepEqual(listAfter({ op: 'test', path: '/list/1', value: 'y' }), document.list);
  assert.deepEqual(dataAfter({ op: 'test', path: '/data/none', value: null }), document.data);
});

test('the empty pointer is the whole document', () => {
  assert.deepEqual(applyJsonPatch(document, [{ op: 'replace', path: '', value: { new: true } }]), { new: true });
  assert.equal(refusal([{ op: 'replace', path: '', value: 'text' }]).code, 422);
  assert.equal(refusal([{ op: 'remove', path: '' }]).code, 422);
});

test('~1 and ~0 stand for slash and tilde in a pointer', () => {
  const patch = [{ op: 'add', path: '/metadata/labels/example.com~1a~0b', value: 'v' }];
  const { metadata } = applyJsonPatch(document, patch) as typeof document;
  assert.deepEqual(metadata.labels, { app: 'web', 'example.com/a~b': 'v' });
});

test('what this object does not allow is refused with 422, naming object and place', () => {
  const patches = [
    { op: 'test', path: '/data/a', value: '2' },
    { op: 'add', path: '/no/such/parent', value: 1 },
    { op: 'add', path: '/data/a/b', value: 1 },
    { op: 'remove', path: '/no/parent' },
    { op: 'remove', path: '/list/3' },
    { op: 'replace', path: '/list/-', value: 1 },
    { op: 'add', path: '/list/4', value: 1 },
    { op: 'add', path: '/list/01', value: 1 },
    { op: 'add', path: '/list/x', value: 1 },
    { op: 'move', from: '/nowhere', path: '/data/b' },
    { op: 'move', from: '/data', path: '/data/inner' },
    { op: 'copy', from: '/data/none', path: '/data/b' },
  ];
  for (const operation of patches) {
    const { code, status } = refusal([operation]);
    assert.equal(code, 422, JSON.stringify(operation));
    assert.equal(status.details?.name, 'settings');
    assert.equal(status.details?.kind, 'ConfigMap');
  }
  assert.equal(refusal([patches[0]]).status.details?.causes?.[0]?.field, '/data/a');
});

test('what is no JSON patch is refused with 400', () => {
  const patches = [
    { op: 'add', path: '/data/x', value: '1' },
    'text',
    null,
    [1, 2],
    [null],
    [{ path: '/data/a', value: 'x' }],
    [{ op: 'frobnicate', path: '/data/a' }],
    [{ op: 'constructor', path: '/data/a' }],
    [{ op: 'add', path: '/data/a' }],
    [{ op: 'add', value: 1 }],
    [{ op: 'add', path: 'data/a', value: 1 }],
    [{ op: 'add', path: '/data/~2', value: 1 }],
    [{ op: 'add', path: 7, value: 1 }],
    [{ op: 'move', path: '/data/a' }],
  ];
  for (const patch of patches) assert.equal(refusal(patch).code, 400, JSON.stringify(patch));
});

test('a patch that fails half way changes nothing, and the input is never changed', () => {
  const before = structuredClone(document);
  refusal([
    { op: 'add', path: '/data/b', value: '9' },
    { op: 'test', path: '/data/b', value: '3' },
  ]);
  applyJsonPatch(document, [{ op: 'remove', path: '/list/0' }]);
  assert.deepEqual(document, before);
});

test('later operations do not write into the values that the patch itself carries', () => {
  const patch = [
    { op: 'add', path: '/new', value: { inner: {} } },
    { op: 'add', path: '/new/inner/x', value: 1 },
  ];
  applyJsonPatch(document, patch);
  assert.deepEqual(patch[0]?.value, { inner: {} });
});

test('__proto__ is a member like any other', () => {
  const patch = JSON.parse('[{"op":"add","path":"/data/__proto__","value":{"polluted":true}}]') as unknown;
  const result = applyJsonPatch(document, patch);
  assert.equal(JSON.stringify(result['data']), '{"a":"1","b":"2","__proto__":{"polluted":true}}');
  assert.equal(({} as JsonObject)['polluted'], undefined);
  assert.equal(refusal([{ op: 'add', path: '/data/__proto__/x', value: 1 }]).code, 422);
});

test('copies that double again and again are refused with 413', () => {
  const patch = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/c${i}` }));
  assert.equal(refusal(patch).code, 413);
  assert.equal(refusal(Array.from({ length: 10_001 }, () => ({ op: 'remove', path: '/x' }))).code, 413);
});

test('values that are nested deeper and deeper are refused with 413', () => {
  const nest = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}{}${'}'.repeat(levels)}`);
  const copies: object[] = [{ op: 'add', path: '/x', value: nest(200) }];
  for (let levels = 200; levels < 20_000; levels = 2 * levels + 1) {
    copies.push({ op: 'copy', from: '/x', path: `/x${'/a'.repeat(levels + 1)}` });
  }
  assert.equal(refusal(copies).code, 413);
  const moves: object[] = [{ op: 'add', path: '/x', value: nest(200) }];
  for (let i = 0; i < 200; i++) {
    moves.push({ op: 'add', path: '/y', value: nest(200) });
    moves.push({ op: 'move', from: '/x', path: `/y${'/a'.repeat(201)}` });
    moves.push({ op: 'move', from: '/y', path: '/x' });
  }
  assert.equal(refusal(moves).code, 413);
});

/** Objects as a JSON parser gives them. */
const jsonObject = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('a', 'b', '__proto__', 'x/y~z')),
  fc.jsonValue(),
);

test('applying the difference of two documents to the first gives the second', () => {
  fc.assert(
    fc.property(jsonObject, jsonObject, (a, b) => {
      const from = JSON.parse(JSON.stringify(a)) as JsonObject;
      const to = JSON.parse(JSON.stringify(b)) as JsonObject;
      assert.deepEqual(applyJsonPatch(from, createJsonPatch(from, to)), to);
    }),
  );
});

test('equal documents have no difference', () => {
  assert.deepEqual(createJsonPatch(document, structuredClone(document)), []);
});
