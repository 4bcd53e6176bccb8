import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { PiecedBytes, textPart } from '../../registry/pieced-bytes.ts';
import { ListCache } from './list-cache.ts';

const megabyte = 1024 * 1024;

function answer(length: number, letter = 'x'): PiecedBytes {
  return new PiecedBytes([textPart(letter.repeat(length))]);
}

/** Asks as the server does. */
function ask(cache: ListCache, path: string, revision: number, made: PiecedBytes): 'kept' | 'made' {
  if (cache.find(path, revision)) return 'kept';
  cache.note(path, revision, made);
  return 'made';
}

test('an answer is kept from the second time on that it is asked for', () => {
  const cache = new ListCache(new SteppedClock());
  const made = answer(megabyte);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => ask(cache, '/pods', 7, made)),
    ['made', 'made', 'kept', 'kept'],
  );
  assert.deepEqual(cache.find('/pods', 7), made.whole());
  assert.equal(cache.find('/nodes', 7), undefined);
});

test('an answer of another revision is never given', () => {
  const cache = new ListCache(new SteppedClock());
  for (let i = 0; i < 3; i++) ask(cache, '/pods', 7, answer(megabyte, 'a'));
  assert.equal(cache.find('/pods', 8), undefined);
  for (let i = 0; i < 3; i++) ask(cache, '/pods', 8, answer(megabyte, 'b'));
  assert.deepEqual(cache.find('/pods', 8), answer(megabyte, 'b').whole());
  assert.equal(cache.find('/pods', 7), undefined);
});

test('an answer is forgotten after a while', () => {
  const clock = new SteppedClock();
  const cache = new ListCache(clock);
  for (let i = 0; i < 3; i++) ask(cache, '/pods', 7, answer(megabyte));
  clock.step(9_999);
  assert.ok(cache.find('/pods', 7));
  clock.step(1);
  assert.equal(cache.find('/pods', 7), undefined);
});

test('short answers, and those that are too long, are not kept', () => {
  const cache = new ListCache(new SteppedClock());
  for (const length of [0, 1000, 33 * megabyte]) {
    for (let i = 0; i < 3; i++) assert.equal(ask(cache, '/pods', 7, answer(length)), 'made', `${length} bytes`);
  }
});

test('all answers together stay within a bound', () => {
  const cache = new ListCache(new SteppedClock());
  const paths = Array.from({ length: 10 }, (_, i) => `/${i}`);
  for (const path of paths) for (let i = 0; i < 2; i++) ask(cache, path, 7, answer(5 * megabyte));
  const bytes = paths.map((path) => cache.find(path, 7)?.length ?? 0).reduce((sum, length) => sum + length, 0);
  assert.ok(bytes > 0 && bytes <= 32 * megabyte, `${bytes} bytes`);
});
