import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { list, object, string } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { applyPatch, isPatchType } from './patch.ts';

const item: ObjectSchema = object('Item', 'An item.', {
  name: string('Its name.'),
  value: string('Its value.'),
});
const schema: ObjectSchema = object('Bag', 'A bag.', { items: list(item, 'Items.').mergeBy('name') });
const document = { items: [{ name: 'a', value: '1' }] };
const patch = { items: [{ name: 'b' }] };

function isRefusedWith(code: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === code;
}

test('the media type decides how a patch is read', () => {
  assert.deepEqual(applyPatch({ type: 'application/merge-patch+json', schema, document, patch }), patch);
  assert.deepEqual(applyPatch({ type: 'application/strategic-merge-patch+json', schema, document, patch }), {
    items: [{ name: 'a', value: '1' }, { name: 'b' }],
  });
  const operations = [{ op: 'add', path: '/items/-', value: { name: 'c' } }];
  assert.deepEqual(applyPatch({ type: 'application/json-patch+json', schema, document, patch: operations }), {
    items: [{ name: 'a', value: '1' }, { name: 'c' }],
  });
});

test('any other media type is refused with 415', () => {
  for (const type of ['application/json', '', 'constructor']) {
    assert.equal(isPatchType(type), false);
    assert.throws(() => applyPatch({ type, schema, document, patch }), isRefusedWith(415));
  }
});

test('a patch that is nested without end is refused with 400', () => {
  const depth = 100_000;
  const objects = JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) as unknown;
  const lists = JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
    assert.throws(() => applyPatch({ type, schema, document, patch: objects }), isRefusedWith(400));
  }
  assert.throws(
    () => applyPatch({ type: 'application/json-patch+json', schema, document, patch: lists }),
    isRefusedWith(400),
  );
});
