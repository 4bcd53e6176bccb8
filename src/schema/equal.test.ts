import assert from 'node:assert/strict';
import { test } from 'node:test';
import { any, list, object, quantities, string, stringMap } from './builders.ts';
import { equal } from './equal.ts';
import type { Schema } from './schema.ts';

const item = object<object>('test.Item', 'An item.', { name: string('Its name.') });
const schema: Schema = object<object>('test.Thing', 'A thing.', {
  name: string('Its name.'),
  items: list(item, 'Items.'),
  labels: stringMap('Labels.'),
  amounts: quantities('Amounts.'),
  rest: any('Anything.'),
});

const same: [string, object, object][] = [
  ['keys in another order', { labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } }],
  ['an amount written differently', { amounts: { memory: '1Gi' } }, { amounts: { memory: '1073741824' } }],
  ['an empty list and none', { items: [] }, {}],
  ['an empty map and none', {}, { labels: {} }],
  ['equal values of no known type', { rest: { a: [1] } }, { rest: { a: [1] } }],
];
for (const [name, a, b] of same) test(`${name} are the same`, () => assert.equal(equal(schema, a, b), true));

const different: [string, object, object][] = [
  ['a text', { name: 'a' }, { name: 'b' }],
  ['a text and none', { name: 'a' }, {}],
  ['an item', { items: [{ name: 'a' }] }, { items: [{ name: 'b' }] }],
  ['the order of items', { items: [{ name: 'a' }, { name: 'b' }] }, { items: [{ name: 'b' }, { name: 'a' }] }],
  ['the number of items', { items: [{ name: 'a' }] }, { items: [{ name: 'a' }, { name: 'a' }] }],
  ['a key', { labels: { a: '1' } }, { labels: { b: '1' } }],
  ['an amount', { amounts: { cpu: '1' } }, { amounts: { cpu: '2' } }],
];
for (const [name, a, b] of different)
  test(`${name} makes a difference`, () => assert.equal(equal(schema, a, b), false));
