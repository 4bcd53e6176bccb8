import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProtobufMessage } from './protobuf-message.ts';

function hex(message: ProtobufMessage): string {
  return message.finish().toString('hex');
}

test('a text is its field, its length in bytes and its bytes', () => {
  assert.equal(hex(new ProtobufMessage().text(2, 'testing')), '120774657374696e67');
  assert.equal(hex(new ProtobufMessage().text(1, 'é')), '0a02c3a9');
});

test('numbers beyond seven bits take several bytes, the lowest bits first', () => {
  const bytes = new ProtobufMessage().text(31, 'x'.repeat(300)).finish();
  // 31 * 8 + 2 is 250, and 300 is 2 * 128 + 44.
  assert.equal(bytes.subarray(0, 4).toString('hex'), 'fa01ac02');
  assert.equal(bytes.length, 304);
});

test('a flag is a number, and a double has eight bytes', () => {
  assert.equal(hex(new ProtobufMessage().flag(4, true).flag(5, false)), '20012800');
  assert.equal(hex(new ProtobufMessage().double(9, 1)), '49000000000000f03f');
});

test('a message stands in another as a text does', () => {
  const inner = new ProtobufMessage().text(1, 'a');
  assert.equal(hex(new ProtobufMessage().message(3, inner).message(4, new ProtobufMessage())), '1a030a01612200');
});
