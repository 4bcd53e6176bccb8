import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PiecedBytes, textPart, type BytePart } from './pieced-bytes.ts';

function part(text: string, bytes: string, from = 0): BytePart {
  return { ...textPart(text), bytes: Buffer.from(bytes), from };
}

/** Pieces are only valid until the next is asked for. */
function collect(pieced: PiecedBytes): string {
  return Buffer.concat(Array.from(pieced.pieces(), (piece) => Buffer.from(piece))).toString();
}

test('of an item the text comes first, and then the bytes from their offset on', () => {
  const items = [part('{"a":1,"b":2', '{"a":1,"c":3}', 6), textPart('4'), textPart('')];
  const pieced = new PiecedBytes({ before: '[', items, after: ']' });
  assert.equal(pieced.whole().toString(), '[{"a":1,"b":2,"c":3},4,]');
  assert.equal(collect(pieced), '[{"a":1,"b":2,"c":3},4,]');
  assert.equal(pieced.length, pieced.whole().length);
});

test('text beyond ASCII keeps its bytes', () => {
  const pieced = new PiecedBytes({ before: 'ä', items: [part('ünïcode 🚣', 'über'), textPart('é')], after: 'ß' });
  assert.equal(pieced.whole().toString(), 'äünïcode 🚣über,éß');
  assert.equal(collect(pieced), 'äünïcode 🚣über,éß');
});

test('the pieces are the whole, however long the items are', () => {
  for (const length of [0, 1, 1000, 65_535, 65_536, 65_537, 200_000]) {
    const items = Array.from({ length: 7 }, (_, i) => part(`${i}-`, String(i).repeat(length)));
    const pieced = new PiecedBytes({ before: '[', items, after: ']' });
    assert.equal(collect(pieced), pieced.whole().toString(), `items of ${length} bytes`);
    assert.equal(pieced.length, pieced.whole().length);
  }
});

test('nothing at all gives no piece', () => {
  assert.deepEqual([...new PiecedBytes({ items: [] }).pieces()], []);
  assert.equal(new PiecedBytes({ items: [] }).whole().length, 0);
});
