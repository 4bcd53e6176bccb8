import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PiecedBytes, textPart, type BytePart } from './pieced-bytes.ts';

function part(text: string, bytes: string, from: number): BytePart {
  return { ...textPart(text), bytes: Buffer.from(bytes), from };
}

/** Pieces are only valid until the next is asked for. */
function collect(pieced: PiecedBytes): string {
  return Buffer.concat(Array.from(pieced.pieces(), (piece) => Buffer.from(piece))).toString();
}

test('text comes first, and then the bytes from their offset on', () => {
  const pieced = new PiecedBytes([textPart('['), part('{"a":1,"b":2', '{"a":1,"c":3}', 6), textPart(']')]);
  assert.equal(pieced.whole().toString(), '[{"a":1,"b":2,"c":3}]');
  assert.equal(pieced.length, pieced.whole().length);
});

test('text beyond ASCII keeps its bytes', () => {
  const pieced = new PiecedBytes([part('ünïcode 🚣', 'über', 0), textPart('ß')]);
  assert.equal(pieced.whole().toString(), 'ünïcode 🚣überß');
  assert.equal(collect(pieced), 'ünïcode 🚣überß');
});

test('the pieces are the whole, however long the parts are', () => {
  for (const length of [0, 1, 1000, 65_535, 65_536, 65_537, 200_000]) {
    const parts = Array.from({ length: 7 }, (_, i) => part(`${i}-`, String(i).repeat(length), 0));
    const pieced = new PiecedBytes(parts);
    assert.equal(collect(pieced), pieced.whole().toString(), `parts of ${length} bytes`);
    assert.equal(pieced.length, pieced.whole().length);
  }
});

test('no part at all gives no piece', () => {
  assert.deepEqual([...new PiecedBytes([]).pieces()], []);
  assert.equal(new PiecedBytes([]).whole().length, 0);
});
