import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list, object, one, string } from './builders.ts';
import { decode } from './decode.ts';
import { renameTypes } from './rename-types.ts';
import type { Field, ListSchema, ObjectSchema } from './schema.ts';
import { validate } from './validate.ts';

const other = object<object>('v1.Other', 'Of a version of its own.', { text: string('Any text.') });
const item = object<object>('v1beta1.Item', 'One of many.', { name: string('Its name.').mandatory() });
const whole = object<object>('v1beta1.Whole', 'All of it.', {
  items: list(item, 'Its parts.').mergeBy('name'),
  other: one(other, 'What else there is.').defaultsTo({}),
});

function fieldOf(schema: ObjectSchema, name: string): Field {
  const field = schema.fields[name];
  assert.ok(field);
  return field;
}

test('a type and the types within it get the names of the other version', () => {
  const renamed = renameTypes(whole, 'v1beta1', 'v1');
  assert.equal(renamed.name, 'v1.Whole');
  const items = fieldOf(renamed, 'items');
  assert.equal(((items.schema as ListSchema).item as ObjectSchema).name, 'v1.Item');
  assert.deepEqual(items.merge, { key: 'name' });
  assert.equal((fieldOf(renamed, 'other').schema as ObjectSchema).name, 'v1.Other');
  assert.deepEqual(
    renamed.fieldList.map(({ name }) => name),
    ['items', 'other'],
  );
  assert.equal(whole.name, 'v1beta1.Whole');
});

test('a renamed type reads and checks as before', () => {
  const renamed = renameTypes(whole, 'v1beta1', 'v1');
  const body = { items: [{ name: 'a' }, {}] };
  assert.deepEqual(decode(renamed, body), decode(whole, body));
  assert.deepEqual(
    validate(renamed, decode(renamed, body).value).list,
    validate(whole, decode(whole, body).value).list,
  );
});
