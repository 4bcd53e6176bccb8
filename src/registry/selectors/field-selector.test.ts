import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { FieldSelector, parseFieldSelector } from './field-selector.ts';

interface Task extends ApiObject {
  phase?: string;
}
const kind = {
  kind: 'Task',
  namespaced: true,
  selectableFields: { 'status.phase': (task: Task) => task.phase ?? '' },
};

function task(name: string, namespace?: string, phase?: string): Task {
  return { kind: 'Task', apiVersion: 'v1', metadata: { name, namespace }, phase };
}

test('equality and inequality match by value', () => {
  const fields = { 'metadata.name': 'web', 'metadata.namespace': 'here', 'status.phase': '' };
  const expected: Record<string, boolean> = {
    'metadata.name=web': true,
    'metadata.name==web': true,
    'metadata.name!=web': false,
    'metadata.name=other': false,
    'metadata.name!=other': true,
    'status.phase=': true,
    'status.phase!=': false,
    'metadata.name=web,metadata.namespace=here': true,
    'metadata.name=web,metadata.namespace=there': false,
  };
  const object = task('web', 'here');
  for (const [text, expectation] of Object.entries(expected)) {
    const selector = parseFieldSelector(text, kind);
    assert.equal(selector.matches(fields), expectation, text);
    assert.equal(selector.matchesObject(object), expectation, `${text} of an object`);
  }
});

test('the fields that a kind names are read from the object', () => {
  const selector = parseFieldSelector('status.phase!=Done', kind);
  assert.equal(selector.matchesObject(task('a', 'b', 'Done')), false);
  assert.equal(selector.matchesObject(task('a', 'b', 'Running')), true);
});

test('a field that is not given counts as empty', () => {
  assert.equal(parseFieldSelector('status.phase=', kind).matches({}), true);
  assert.equal(parseFieldSelector('status.phase=x', kind).matches({}), false);
});

test('a backslash escapes backslash, comma and equals sign', () => {
  const { requirements } = parseFieldSelector(String.raw`status.phase=a\,b\=c\\d,metadata.name=x`, kind);
  assert.deepEqual(requirements, [
    { field: 'status.phase', operator: '=', value: String.raw`a,b=c\d` },
    { field: 'metadata.name', operator: '=', value: 'x' },
  ]);
});

test('unknown fields are refused with 400, and the answer names those that are known', () => {
  for (const text of ['a=b', 'spec.bogus=1', '=', 'constructor=x', 'metadata.name =x', 'metadata.name=x,a=b']) {
    assert.throws(
      () => parseFieldSelector(text, kind),
      (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, 400);
        assert.match(error.message, /metadata\.name, metadata\.namespace, status\.phase/);
        return true;
      },
    );
  }
});

test('what cannot be read is refused with 400', () => {
  const texts = [
    'nonsense',
    'metadata.name',
    'metadata.name>x',
    'metadata.name=x=y',
    'metadata.name!=x!=y',
    String.raw`metadata.name=\x`,
    'metadata.name=\\',
  ];
  for (const text of texts) {
    assert.throws(
      () => parseFieldSelector(text, kind),
      (error) => error instanceof ApiError && error.code === 400 && error.message.includes(text),
      text,
    );
  }
});

test('nothing selects everything', () => {
  assert.equal(parseFieldSelector('', kind), FieldSelector.everything);
  assert.equal(FieldSelector.everything.matchesObject(task('a')), true);
});

for (const text of [',', ',metadata.name=a', 'metadata.name=a,', 'metadata.name=a,,metadata.name=b']) {
  test(`"${text}" is refused: a comma stands between two terms`, () => {
    assert.throws(() => parseFieldSelector(text, kind), { code: 400 });
  });
}

test('exact gives the fields that must have one value', () => {
  const { exact } = parseFieldSelector('metadata.name=a,status.phase!=b', kind);
  assert.deepEqual([...exact], [['metadata.name', 'a']]);
});

test('a selector for any value reads back from its spelling', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const selector = new FieldSelector([{ field: 'metadata.name', operator: '=', value }], kind);
      const [requirement] = parseFieldSelector(selector.toString(), kind).requirements;
      assert.equal(requirement?.value, value);
    }),
  );
});

test('what lives in no namespace cannot be selected on by one', () => {
  assert.throws(() => parseFieldSelector('metadata.namespace=', { ...kind, namespaced: false }), {
    code: 400,
    message: /use metadata\.name, status\.phase$/,
  });
});
