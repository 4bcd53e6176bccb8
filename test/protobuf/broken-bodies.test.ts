import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { pod } from '../../src/kinds/core/pod.ts';
import { ApiError } from '../../src/kinds/meta/api-error.ts';
import { decode } from '../../src/schema/decode.ts';
import { fuzzRuns } from '../../src/schema/testing/fuzz-runs.ts';
import { delimitedField, varint } from '../../src/schema/testing/wire-bytes.ts';
import { validate } from '../../src/schema/validate.ts';
import { defaultMaxBodyBytes } from '../../src/server/http/body.ts';
import { parseProtobuf } from '../../src/server/http/protobuf.ts';
import { copiedPod } from './copied-pod.ts';
import { enveloped } from './envelope.ts';

const wanted = { kind: 'Pod', apiVersion: 'v1', schema: pod.schema };

/** What the bytes say; nothing when they are refused. */
function read(bytes: Buffer): unknown {
  try {
    return parseProtobuf(bytes, wanted);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 400);
    return undefined;
  }
}

/** Takes the bytes all the way; whether they could be read. */
function isRead(bytes: Buffer): boolean {
  const body = read(bytes);
  if (body === undefined) return false;
  const { value, mistakes } = decode(pod.schema, body);
  if (mistakes.length === 0) validate(pod.schema, value);
  return true;
}

const whole = Buffer.from(copiedPod.base64, 'base64');

test('a pod in protobuf with any bytes changed is read or refused with 400', () => {
  const position = fc.nat(whole.length - 1);
  const edit = fc.record({ at: position, take: fc.nat(3), put: fc.uint8Array({ maxLength: 3 }) });
  const outcomes = new Set<boolean>();
  const property = fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
    const bytes = edits.reduce<Buffer>(
      (before, { at, take, put }) => Buffer.concat([before.subarray(0, at), put, before.subarray(at + take)]),
      whole,
    );
    outcomes.add(isRead(bytes));
  });
  fc.assert(property, fuzzRuns(1500));
  assert.deepEqual(outcomes, new Set([true, false]));
});

test('a pod in protobuf that is cut off anywhere is refused, unless what is left is whole', () => {
  const readable = whole.map((_, length) => Number(isRead(whole.subarray(0, length))));
  // The mark, the identity, the object and the two fields behind it.
  assert.equal(readable.filter(Boolean).length, 4);
});

/** Bodies of the largest size that are all of one thing. */
const large: readonly [what: string, message: Buffer][] = [
  ['empty containers', Buffer.alloc(defaultMaxBodyBytes - 100, delimitedField(2))],
  ['unknown fields', Buffer.alloc(defaultMaxBodyBytes - 100, delimitedField(15, 'x'))],
  ['groups that begin', Buffer.alloc(defaultMaxBodyBytes - 100, 0x7b)],
  ['numbers that go on', Buffer.alloc(defaultMaxBodyBytes - 100, 0xff)],
];
for (const [what, message] of large) {
  test(`a body full of ${what} is read or refused in a moment`, { timeout: 20_000 }, () => {
    read(enveloped({}, delimitedField(2, message)));
    read(enveloped({}, delimitedField(15, message)));
  });
}

test('messages within messages, as deep as a body can hold, are no trouble', { timeout: 20_000 }, () => {
  // From the innermost outwards, each before what it holds.
  const parts: Buffer[] = [];
  for (let length = 0; length < defaultMaxBodyBytes - 100;) {
    const start = Buffer.concat([Buffer.from([15 * 8 + 2]), varint(length)]);
    parts.push(start);
    length += start.length;
  }
  assert.equal(isRead(enveloped({}, Buffer.concat(parts.toReversed()))), true);
});
