import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { Path } from '../../schema/path.ts';
import { validate } from '../../schema/validate.ts';
import { isEmptySelector, labelSelector, selectorMistake, selectorText, selectsLabels } from './label-selector.ts';

function mistakesIn(body: unknown): string[] {
  const { value } = decode(labelSelector, body);
  return validate(labelSelector, value, Path.of('selector')).list.map(({ field, reason }) => `${field} ${reason}`);
}

test('labels and all expressions must hold', () => {
  const selector = {
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'env', operator: 'NotIn', values: ['test'] },
      { key: 'owner', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ],
  };
  assert.equal(selectsLabels(selector, { app: 'web', tier: 'b', owner: '' }), true);
  assert.equal(selectsLabels(selector, { app: 'web', tier: 'c', owner: '' }), false);
  assert.equal(selectsLabels(selector, { app: 'web', tier: 'a', owner: 'x', env: 'test' }), false);
  assert.equal(selectsLabels(selector, { app: 'web', tier: 'a' }), false);
  assert.equal(selectsLabels(selector, { app: 'web', tier: 'a', owner: 'x', old: '' }), false);
  assert.equal(selectsLabels(selector, { tier: 'a', owner: 'x' }), false);
});

test('an empty selector selects everything, an absent one nothing', () => {
  assert.equal(selectsLabels({}, { a: 'b' }), true);
  assert.equal(selectsLabels({}), true);
  assert.equal(selectsLabels(undefined, { a: 'b' }), false);
  assert.equal(isEmptySelector({}), true);
  assert.equal(isEmptySelector({ matchLabels: {}, matchExpressions: [] }), true);
  assert.equal(isEmptySelector({ matchExpressions: [{ key: 'a', operator: 'Exists' }] }), false);
});

test('names that every object inherits are labels like any other', () => {
  assert.equal(selectsLabels({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, {}), false);
  assert.equal(selectsLabels({ matchLabels: { toString: 'x' } }, { toString: 'x' }), true);
});

test('the text lists conditions by key, with values in order', () => {
  const matchExpressions = [
    { key: 'z', operator: 'NotIn', values: ['2', '1'] },
    { key: 'b', operator: 'In', values: ['x'] },
    { key: 'c', operator: 'Exists' },
    { key: 'a', operator: 'DoesNotExist' },
  ];
  assert.equal(
    selectorText({ matchLabels: { m: '1', d: '' }, matchExpressions }),
    '!a,b in (x),c,d=,m=1,z notin (1,2)',
  );
  assert.equal(selectorText({}), '');
  assert.equal(selectorText(undefined), '');
});

test('each operator has its rule for values', () => {
  const matchExpressions = [
    { key: 'a', operator: 'In' },
    { key: 'b', operator: 'NotIn', values: [] },
    { key: 'c', operator: 'Exists', values: ['x'] },
    { key: 'd', operator: 'DoesNotExist', values: ['x'] },
    { key: 'e', operator: 'Near', values: ['x'] },
    { key: 'f', operator: 'In', values: ['x'] },
  ];
  assert.deepEqual(mistakesIn({ matchExpressions }), [
    'selector.matchExpressions[0].values FieldValueRequired',
    'selector.matchExpressions[1].values FieldValueRequired',
    'selector.matchExpressions[2].values FieldValueForbidden',
    'selector.matchExpressions[3].values FieldValueForbidden',
    'selector.matchExpressions[4].operator FieldValueInvalid',
  ]);
});

test('keys and values must be those of labels', () => {
  assert.deepEqual(mistakesIn({ matchLabels: { 'bad key': 'x', ok: 'bad value!' } }), [
    'selector.matchLabels FieldValueInvalid',
    'selector.matchLabels FieldValueInvalid',
  ]);
  assert.deepEqual(mistakesIn({ matchExpressions: [{ operator: 'Exists' }, { key: '-x', operator: 'Exists' }] }), [
    'selector.matchExpressions[0].key FieldValueInvalid',
    'selector.matchExpressions[1].key FieldValueInvalid',
  ]);
});

test('a selector that cannot be applied says why', () => {
  assert.equal(
    selectorMistake({ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }),
    undefined,
  );
  assert.match(selectorMistake({ matchLabels: { a: 'bad value!' } }) ?? '', /"a"/);
  assert.match(selectorMistake({ matchExpressions: [{ key: 'a', operator: 'In', values: ['no good'] }] }) ?? '', /"a"/);
  assert.match(selectorMistake({ matchExpressions: [{ key: 'a', operator: 'Near' }] }) ?? '', /Near/);
  assert.match(
    selectorMistake({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }) ?? '',
    /no values/,
  );
});
