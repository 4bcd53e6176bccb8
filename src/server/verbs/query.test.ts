import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, integer, word } from './query.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);

test('a flag is off only when it is absent, false or 0', () => {
  for (const text of ['', 'watch=false', 'watch=0', 'watch=False', 'other=true']) {
    assert.equal(flag(query(text), 'watch'), false, text);
  }
  for (const text of ['watch', 'watch=', 'watch=1', 'watch=true', 'watch=maybe']) {
    assert.equal(flag(query(text), 'watch'), true, text);
  }
});

test('a number that is none is refused', () => {
  assert.equal(integer(query('n=-12'), 'n'), -12);
  assert.equal(integer(query('m=1'), 'n'), undefined);
  for (const text of ['n=', 'n=abc', 'n=1.5', 'n=1e3', 'n=%201', 'n=99999999999999999999', 'n=0x10']) {
    assert.throws(() => integer(query(text), 'n'), { code: 400 }, text);
  }
});

test('a word that is not known is refused with those that are', () => {
  assert.equal(word(query(''), 'w', ['A', 'B']), 'A');
  assert.equal(word(query('w=B'), 'w', ['A', 'B']), 'B');
  assert.throws(() => word(query('w=b'), 'w', ['A', 'B']), { code: 400, message: /A, B/ });
});
