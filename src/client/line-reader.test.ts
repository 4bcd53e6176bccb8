import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineReader } from './line-reader.ts';

test('lines come out whole however the bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line), fc.integer({ min: 1, max: 7 }), (lines, size) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      const reader = new LineReader(1000);
      const read: string[] = [];
      for (let i = 0; i < bytes.length; i += size) read.push(...reader.push(bytes.subarray(i, i + size)));
      assert.deepEqual(read, Buffer.from(lines.join('\n')).toString('utf8').split('\n').slice(0, lines.length));
      assert.equal(reader.isInsideLine, false);
    }),
  );
});

test('a line that is too long is refused, one of just that length is not', () => {
  assert.deepEqual(new LineReader(3).push(Buffer.from('abc\n')), ['abc']);
  const reader = new LineReader(3);
  reader.push(Buffer.from('ab'));
  assert.equal(reader.isInsideLine, true);
  assert.throws(() => reader.push(Buffer.from('cd')), RangeError);
});
