import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compareKeys, sortKeys } from './keys.ts';

const text = fc.string({ unit: 'binary', maxLength: 6 });

test('keys compare as their UTF-8 bytes do', () => {
  const property = fc.property(text, text, text, (start, a, b) => {
    const bytes = Buffer.compare(Buffer.from(start + a), Buffer.from(start + b));
    assert.equal(Math.sign(compareKeys(start + a, start + b)), bytes);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test('keys are sorted as their UTF-8 bytes are', () => {
  const property = fc.property(fc.array(text), (keys) => {
    const bytes = keys.map((key) => Buffer.from(key)).sort((a, b) => Buffer.compare(a, b));
    assert.deepEqual(
      sortKeys([...keys]),
      bytes.map((each) => each.toString()),
    );
  });
  fc.assert(property, { numRuns: 1_000 });
});
