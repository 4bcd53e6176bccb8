import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccept } from './media-ranges.ts';

function typesIn(accept: string | undefined): string[] {
  return parseAccept(accept).map(({ type }) => type);
}

test('no header, or an empty one, takes anything', () => {
  assert.deepEqual(typesIn(undefined), ['*/*']);
  assert.deepEqual(typesIn(' '), ['*/*']);
});

test('what is liked best comes first, and equals keep their order', () => {
  assert.deepEqual(typesIn('a/a;q=0.5, b/b, c/c;q=0.9, d/d'), ['b/b', 'd/d', 'c/c', 'a/a']);
});

test('what is named comes before what is not, where both are liked as much', () => {
  assert.deepEqual(typesIn('*/*, a/*, a/a, b/b;q=0.5'), ['a/a', 'a/*', '*/*', 'b/b']);
});

test('what is ruled out is left away', () => {
  assert.deepEqual(typesIn('a/a;q=0, b/b;q=0.0, */*'), ['*/*']);
});

test('a quality that is none counts as none given', () => {
  assert.deepEqual(typesIn('a/a;q=x, b/b;q=7, c/c;q='), ['a/a', 'b/b', 'c/c']);
});

test('parameters are read whatever the spaces and the case of their names', () => {
  const [range] = parseAccept('Application/JSON; AS=Table;v=v1 ; g = meta.k8s.io');
  assert.equal(range?.type, 'application/json');
  assert.deepEqual([...(range?.parameters ?? [])], [['as', 'Table'], ['v', 'v1'], ['g', 'meta.k8s.io']]); // prettier-ignore
});
