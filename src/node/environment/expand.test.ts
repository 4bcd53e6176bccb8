import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expand } from './expand.ts';

const values: Readonly<Record<string, string>> = { A: 'one', EMPTY: '', NESTED: '$(A)' };
const expanded = (text: string): string => expand(text, values);

test('variables are put in wherever they stand', () => {
  assert.equal(expanded('$(A)'), 'one');
  assert.equal(expanded('x-$(A)-$(A)$(EMPTY)!'), 'x-one-one!');
});

test('a variable that is not known stays as it is written', () => {
  assert.equal(expanded('$(B) $(A)'), '$(B) one');
  assert.equal(expanded('$()'), '$()');
});

test('a doubled dollar is a plain one and hides a reference', () => {
  assert.equal(expanded('$$(A)'), '$(A)');
  assert.equal(expanded('$$$(A)'), '$one');
  assert.equal(expanded('a$$b'), 'a$b');
});

test('what is no reference stays', () => {
  for (const text of ['$', '$A', '${A}', '$(A', 'a$', '$(', ') $']) assert.equal(expanded(text), text);
});

test('values are not looked into again', () => {
  assert.equal(expanded('$(NESTED)'), '$(A)');
});
