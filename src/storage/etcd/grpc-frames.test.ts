import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrpcError } from './grpc-error.ts';
import { frame, FrameReader } from './grpc-frames.ts';

const texts = ['first', '', 'a longer one'.repeat(50), 'last'];

test('messages are put together however they are cut', () => {
  const whole = Buffer.concat(texts.map((text) => frame(Buffer.from(text))));
  for (const size of [1, 2, 3, 4, 5, 6, 7, 100, whole.length]) {
    const reader = new FrameReader();
    const read: string[] = [];
    for (let start = 0; start < whole.length; start += size) {
      for (const message of reader.push(whole.subarray(start, start + size))) read.push(message.toString());
    }
    assert.deepEqual(read, texts, `in pieces of ${size}`);
  }
});

test('a message that is compressed or longer than any can be is refused', () => {
  assert.throws(() => new FrameReader().push(Buffer.from([1, 0, 0, 0, 0])), GrpcError);
  assert.throws(() => new FrameReader().push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff])), GrpcError);
});
