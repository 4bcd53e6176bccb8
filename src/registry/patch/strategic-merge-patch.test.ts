import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { any, integer, list, object, one, string, stringMap, strings } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import type { JsonObject } from './json.ts';
import { createStrategicMergePatch } from './strategic-merge-diff.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const port: ObjectSchema<JsonObject> = object('Port', 'A port.', {
  number: integer('Its number.'),
  name: string('Its name.'),
});
const disk: ObjectSchema<JsonObject> = object('Disk', 'A disk in one of several makes.', {
  name: string('Its name.'),
  empty: one(object('Empty', 'Nothing.', {}), 'An empty disk.'),
  host: one(object('Host', 'A folder.', { path: string('Where.') }), 'A folder of the host.'),
});
const box: ObjectSchema<JsonObject> = object('Box', 'A box.', {
  name: string('Its name.'),
  image: string('What is in it.'),
  args: strings('Replaced as a whole.'),
  ports: list(port, 'Merged by number.').mergeBy('number'),
  mounts: list(object('Mount', 'A mount.', { name: string('Disk.'), path: string('Where.') }), 'Mounts.').mergeBy(
    'name',
  ),
});
const crate: ObjectSchema<JsonObject> = object('Crate', 'Everything that merges.', {
  labels: stringMap('A map.'),
  boxes: list(box, 'Merged by name.').mergeBy('name'),
  disks: list(disk, 'Merged by name.').mergeBy('name'),
  rules: list(port, 'Replaced as a whole.'),
  owners: strings('Plain values.'),
  raw: any('Anything.'),
  main: one(box, 'One object.'),
});

function apply(document: JsonObject, patch: unknown): JsonObject {
  return applyStrategicMergePatch(crate, document, patch);
}

function refusal(document: JsonObject, patch: unknown): ApiError {
  try {
    apply(document, patch);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  throw new assert.AssertionError({ message: 'the patch was applied' });
}

test('maps and objects merge, and null removes', () => {
  const document = { labels: { a: '1', b: '2' }, main: { name: 'm', image: 'i:1' } };
  assert.deepEqual(apply(document, { labels: { a: null, c: '3' } })['labels'], { b: '2', c: '3' });
  assert.deepEqual(apply(document, { main: { image: 'i:2' } })['main'], { name: 'm', image: 'i:2' });
  assert.deepEqual(apply(document, { main: null }), { labels: { a: '1', b: '2' } });
  assert.deepEqual(apply({}, { labels: { gone: null, a: '1' } }), { labels: { a: '1' } });
});

test('$patch in a map replaces or empties it', () => {
  const document = { labels: { a: '1' }, main: { name: 'm', image: 'i:1' } };
  assert.deepEqual(apply(document, { labels: { $patch: 'replace', only: 'this' } })['labels'], { only: 'this' });
  assert.deepEqual(apply(document, { labels: { $patch: 'delete' } })['labels'], {});
  assert.deepEqual(apply(document, { $patch: 'replace', main: { name: 'n' } }), { main: { name: 'n' } });
});

test('items of a keyed list merge in place, and new ones come behind', () => {
  const document = {
    boxes: [
      { name: 'a', image: 'a:1' },
      { name: 'b', image: 'b:1', ports: [{ number: 80 }] },
    ],
  };
  const patch = {
    boxes: [
      { name: 'c', image: 'c:1' },
      { name: 'b', image: 'b:2', ports: [{ number: 80, name: 'web' }] },
    ],
  };
  assert.deepEqual(apply(document, patch)['boxes'], [
    { name: 'a', image: 'a:1' },
    { name: 'b', image: 'b:2', ports: [{ number: 80, name: 'web' }] },
    { name: 'c', image: 'c:1' },
  ]);
});

test('$patch: delete takes out an item, and passes when it is not there', () => {
  const document = { boxes: [{ name: 'a' }, { name: 'b' }] };
  assert.deepEqual(apply(document, { boxes: [{ name: 'a', $patch: 'delete' }] })['boxes'], [{ name: 'b' }]);
  assert.deepEqual(apply(document, { boxes: [{ name: 'x', $patch: 'delete' }] }), document);
  assert.deepEqual(
    apply(document, {
      boxes: [
        { name: 'a', image: 'fresh' },
        { name: 'a', $patch: 'delete' },
      ],
    })['boxes'],
    [{ name: 'b' }, { name: 'a', image: 'fresh' }],
  );
});

test('of items with the same key the first is merged or deleted', () => {
  const document = {
    main: {
      ports: [
        { number: 53, name: 'udp' },
        { number: 53, name: 'tcp' },
      ],
    },
  };
  const deleted = apply(document, { main: { ports: [{ number: 53, $patch: 'delete' }] } });
  assert.deepEqual(deleted['main'], { ports: [{ number: 53, name: 'tcp' }] });
  const merged = apply(document, { main: { ports: [{ number: 53, name: 'dns' }] } });
  assert.deepEqual(merged['main'], {
    ports: [
      { number: 53, name: 'dns' },
      { number: 53, name: 'tcp' },
    ],
  });
});

test('$patch: replace among the items makes the others the whole list', () => {
  const document = { boxes: [{ name: 'a' }, { name: 'b', image: 'b:1' }] };
  assert.deepEqual(apply(document, { boxes: [{ name: 'b' }, { $patch: 'replace' }] })['boxes'], [{ name: 'b' }]);
  assert.deepEqual(apply(document, { boxes: [{ $patch: 'replace' }] })['boxes'], []);
});

test('where there is no list yet, the items need no key and stay apart', () => {
  const boxes = [{ image: 'a' }, { name: 'b' }, { name: 'b', image: 'c' }];
  assert.deepEqual(apply({}, { boxes })['boxes'], boxes);
});

test('lists without a merge key are replaced', () => {
  const document = { main: { args: ['a', 'b'] }, rules: [{ number: 1 }, { number: 2 }] };
  assert.deepEqual(apply(document, { main: { args: ['c'] } })['main'], { args: ['c'] });
  assert.deepEqual(apply(document, { rules: [{ number: 3 }] })['rules'], [{ number: 3 }]);
  assert.deepEqual(apply(document, { rules: [{ number: 3 }, { $patch: 'replace' }] })['rules'], [{ number: 3 }]);
  assert.deepEqual(apply(document, { rules: [{ number: 3, $patch: 'replace' }] })['rules'], [{ number: 3 }]);
  assert.equal(refusal(document, { rules: [{ number: 1, $patch: 'delete' }] }).code, 400);
});

test('an item of a patch without its merge key is refused with 400, naming list and key', () => {
  const document = { boxes: [{ name: 'a' }] };
  for (const item of [
    { image: 'x' },
    { image: 'x', $patch: 'delete' },
    { name: null },
    { name: {} },
    'text',
    null,
    [],
  ]) {
    const { code, message } = refusal(document, { boxes: [item] });
    assert.equal(code, 400);
    assert.match(message, /^boxes: .*name/);
  }
});

test('an unknown $patch and malformed directives are refused with 400', () => {
  const document = { labels: { a: '1' }, boxes: [{ name: 'a' }], owners: ['x'] };
  const patches = [
    { labels: { $patch: 'frobnicate' } },
    { labels: { $patch: 'merge', b: '2' } },
    { labels: { $patch: null, b: '2' } },
    { boxes: [{ name: 'a' }, { $patch: 'merge' }] },
    { boxes: [{ name: 'a', $patch: 'frobnicate' }] },
    { $retainKeys: 'labels' },
    { $retainKeys: ['boxes'], labels: { b: '2' } },
    { '$setElementOrder/boxes': 'a' },
    { '$setElementOrder/boxes': [{ image: 'x', other: 1 }], boxes: [{ name: 'a' }] },
    { '$deleteFromPrimitiveList/owners': 'x' },
    [],
    'text',
  ];
  for (const patch of patches) assert.equal(refusal(document, patch).code, 400, JSON.stringify(patch));
});

test('null changes nothing', () => {
  assert.deepEqual(apply({ labels: { a: '1' } }, null), { labels: { a: '1' } });
});

test('$setElementOrder orders the list, and items it does not name keep their place', () => {
  const document = { boxes: ['a', 'mine', 'b', 'c'].map((name) => ({ name })) };
  const order = (...names: string[]): object[] => names.map((name) => ({ name }));
  const namesAfter = (patch: object): unknown =>
    (apply(document, patch)['boxes'] as { name: string }[]).map(({ name }) => name);

  assert.deepEqual(namesAfter({ '$setElementOrder/boxes': order('c', 'b', 'a') }), ['mine', 'c', 'b', 'a']);
  assert.deepEqual(namesAfter({ '$setElementOrder/boxes': order('a', 'b', 'c') }), ['a', 'mine', 'b', 'c']);
  const added = { '$setElementOrder/boxes': order('new', 'a', 'b', 'c'), boxes: [{ name: 'new' }] };
  assert.deepEqual(namesAfter(added), ['mine', 'new', 'a', 'b', 'c']);
  assert.deepEqual(
    namesAfter({ '$setElementOrder/boxes': order('c', 'a'), boxes: [{ name: 'b', $patch: 'delete' }] }),
    ['mine', 'c', 'a'],
  );
});

test('an element order with another key than the schema names the key to merge by', () => {
  const document = {
    main: {
      mounts: [
        { name: 'd', path: '/one' },
        { name: 'd', path: '/two' },
      ],
    },
  };
  const patch = {
    main: {
      '$setElementOrder/mounts': [{ path: '/two' }, { path: '/three' }],
      mounts: [
        { path: '/one', $patch: 'delete' },
        { path: '/three', name: 'd' },
      ],
    },
  };
  assert.deepEqual(apply(document, patch)['main'], {
    mounts: [
      { name: 'd', path: '/two' },
      { path: '/three', name: 'd' },
    ],
  });
});

test('plain values merge and go where directives ask for it', () => {
  const document = { owners: ['a', 'b', 'mine'] };
  assert.deepEqual(apply(document, { '$deleteFromPrimitiveList/owners': ['b', 'x'] })['owners'], ['a', 'mine']);
  const ordered = { '$setElementOrder/owners': ['c', 'a'], '$deleteFromPrimitiveList/owners': ['b'], owners: ['c'] };
  assert.deepEqual(apply(document, ordered)['owners'], ['mine', 'c', 'a']);
});

test('$retainKeys drops what it does not name', () => {
  const document = { disks: [{ name: 'd', empty: {} }] };
  const patch = { disks: [{ name: 'd', $retainKeys: ['name', 'host'], host: { path: '/x' } }] };
  assert.deepEqual(apply(document, patch)['disks'], [{ name: 'd', host: { path: '/x' } }]);
  const nulled = { disks: [{ name: 'd', $retainKeys: ['name', 'host'], empty: null, host: { path: '/x' } }] };
  assert.deepEqual(apply(document, nulled)['disks'], [{ name: 'd', host: { path: '/x' } }]);
});

test('what is new carries no directives and no nulls', () => {
  const patch = {
    labels: { $patch: 'replace', a: '1' },
    boxes: [{ name: 'a', image: null, ports: [{ number: 1, $patch: 'delete' }] }],
    '$setElementOrder/boxes': [{ name: 'a' }],
  };
  assert.deepEqual(apply({}, patch), { labels: { a: '1' }, boxes: [{ name: 'a', ports: [] }] });
});

test('what the schema does not know merges as plain JSON', () => {
  const document = { raw: { a: { b: 1 }, l: [1] }, stray: { a: 1 } };
  assert.deepEqual(apply(document, { raw: { a: { c: 2 }, l: [2] }, stray: { a: null, b: 2 }, more: true }), {
    raw: { a: { b: 1, c: 2 }, l: [2] },
    stray: { b: 2 },
    more: true,
  });
});

test('a value of another type replaces what was there', () => {
  const document = { labels: { a: '1' }, boxes: [{ name: 'a' }], main: { name: 'm' } };
  assert.deepEqual(apply(document, { labels: 'text', boxes: { x: 1 }, main: [1] }), {
    labels: 'text',
    boxes: { x: 1 },
    main: [1],
  });
});

test('__proto__ is a member like any other', () => {
  const patch = JSON.parse(
    '{"labels":{"__proto__":"x"},"__proto__":{"polluted":true},"constructor":{"a":1}}',
  ) as JsonObject;
  const result = apply({}, patch);
  assert.equal(
    JSON.stringify(result),
    '{"labels":{"__proto__":"x"},"__proto__":{"polluted":true},"constructor":{"a":1}}',
  );
  assert.equal(({} as JsonObject)['polluted'], undefined);
});

test('the input is never changed', () => {
  const document = Object.freeze({
    labels: Object.freeze({ a: '1' }),
    boxes: Object.freeze([Object.freeze({ name: 'a', image: 'x' })]),
  });
  const patch = Object.freeze({
    labels: Object.freeze({ a: null }),
    boxes: Object.freeze([Object.freeze({ name: 'a', image: null })]),
  });
  assert.deepEqual(apply(document, patch), { labels: {}, boxes: [{ name: 'a' }] });
});

const shortText = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__');
const labels = fc.dictionary(shortText, shortText);
const ports = fc.uniqueArray(fc.record({ number: fc.nat(5), name: shortText }, { requiredKeys: ['number'] }), {
  selector: (each) => each.number,
});
const boxes = fc.uniqueArray(
  fc.record({ name: shortText, image: shortText, args: fc.array(shortText), ports }, { requiredKeys: ['name'] }),
  { selector: (each) => each.name },
);
const document = fc
  .record(
    { labels, boxes, rules: ports, owners: fc.array(shortText), raw: labels, main: fc.record({ ports }) },
    { requiredKeys: [] },
  )
  .map((each) => JSON.parse(JSON.stringify(each)) as JsonObject);

test('applying the difference of two documents to the first gives the second, order included', () => {
  fc.assert(
    fc.property(document, document, (from, to) => {
      assert.deepEqual(apply(from, createStrategicMergePatch(crate, from, to)), to);
    }),
    { numRuns: 300 },
  );
});

test('the difference of keyed lists names only what changed', () => {
  const from = { boxes: [{ name: 'a', image: 'a:1', args: ['x'] }, { name: 'b' }, { name: 'c' }] };
  const to = { boxes: [{ name: 'a', image: 'a:2', args: ['x'] }, { name: 'c' }, { name: 'd' }] };
  assert.deepEqual(createStrategicMergePatch(crate, from, to), {
    boxes: [{ $patch: 'delete', name: 'b' }, { name: 'a', image: 'a:2' }, { name: 'd' }],
    '$setElementOrder/boxes': [{ name: 'a' }, { name: 'c' }, { name: 'd' }],
  });
});

test('lists whose items cannot be told apart are replaced by the difference', () => {
  const from = { boxes: [{ name: 'a' }] };
  const to = { boxes: [{ name: 'a', image: '1' }, { name: 'b' }, { name: 'b' }] };
  assert.deepEqual(createStrategicMergePatch(crate, from, to), { boxes: [...to.boxes, { $patch: 'replace' }] });
});

test('with $patch: replace nothing has to tell the items apart', () => {
  const items = [{ image: 'a' }, { name: 'b' }, { name: 'b', image: 'c' }];
  const patch = { boxes: [...items, { $patch: 'replace' }] };
  assert.deepEqual(apply({ boxes: [{ name: 'old' }] }, patch)['boxes'], items);
});

test('new lists whose items cannot be told apart survive the way through a difference', () => {
  const to = { boxes: [{ image: 'a' }], main: { ports: [{ name: 'x' }, { name: 'y' }] } };
  assert.deepEqual(apply({}, createStrategicMergePatch(crate, {}, to)), to);
  const grown = { boxes: [{ name: 'one' }, { name: 'two', mounts: [{ path: '/a' }] }] };
  const from = { boxes: [{ name: 'one' }] };
  assert.deepEqual(apply(from, createStrategicMergePatch(crate, from, grown)), grown);
});
