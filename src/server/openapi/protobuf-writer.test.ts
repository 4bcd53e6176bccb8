import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtobufWriter } from './protobuf-writer.ts';

function hex(writer: ProtobufWriter): string {
  return writer.finish().toString('hex');
}

test('a text is its field, its length in bytes and its bytes', () => {
  assert.equal(hex(new ProtobufWriter().text(2, 'testing')), '120774657374696e67');
  assert.equal(hex(new ProtobufWriter().text(1, 'é')), '0a02c3a9');
});

test('numbers beyond seven bits take several bytes, the lowest bits first', () => {
  const bytes = new ProtobufWriter().text(31, 'x'.repeat(300)).finish();
  // 31 * 8 + 2 is 250, and 300 is 2 * 128 + 44.
  assert.equal(bytes.subarray(0, 4).toString('hex'), 'fa01ac02');
  assert.equal(bytes.length, 304);
});

test('a flag is a number, and a double has eight bytes', () => {
  assert.equal(hex(new ProtobufWriter().flag(4, true).flag(5, false)), '20012800');
  assert.equal(hex(new ProtobufWriter().double(9, 1)), '49000000000000f03f');
});

test('a message stands in another as a text does', () => {
  const writer = new ProtobufWriter();
  writer.message(3, () => writer.text(1, 'a')).message(4, () => {});
  assert.equal(hex(writer), '1a030a01612200');
});

test('a message of any size stands behind its length', () => {
  for (const [length, header] of [
    [0, '0a02'],
    [124, '0a7e'],
    [126, '0a8001'],
    [16_380, '0aff7f'],
    [16_381, '0a808001'],
  ] as const) {
    const text = 'x'.repeat(length);
    const writer = new ProtobufWriter();
    writer.message(1, () => writer.text(1, text));
    assert.equal(hex(writer), header + hex(new ProtobufWriter().text(1, text)), String(length));
  }
});

test('what is written may be larger than what was set aside for it', () => {
  const writer = new ProtobufWriter();
  writer.message(1, () => writer.text(1, 'x'.repeat(200_000)).text(2, 'end'));
  const bytes = writer.finish();
  assert.equal(bytes.length, 200_013);
  assert.equal(bytes.subarray(-5).toString('hex'), '1203656e64');
});
