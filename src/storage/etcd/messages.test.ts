import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeRequest, rangeRequest, watchRequest } from './etcd-requests.ts';
import { readChangeResponse, readRangeResponse, readWatchResponse } from './etcd-responses.ts';
import { messageFields } from './message-fields.ts';
import { MessageWriter } from './message-writer.ts';

test('numbers up to the largest exact one and bytes come back as they were written', () => {
  const numbers = [1, 127, 128, 16_383, 16_384, 2 ** 32, Number.MAX_SAFE_INTEGER];
  const writer = new MessageWriter();
  for (const [index, number] of numbers.entries()) writer.number(index + 1, number);
  writer.bytes(20, Buffer.from('bytes')).number(21, 0).bytes(22, Buffer.alloc(0)).message(23, Buffer.alloc(0));
  const fields = [...messageFields(writer.end())];
  assert.deepEqual(
    fields.map(({ number }) => number),
    [...numbers, 0, 0],
  );
  assert.deepEqual(
    fields.slice(-2).map(({ field, bytes }) => [field, bytes.toString()]),
    [
      [20, 'bytes'],
      [23, ''],
    ],
  );
});

test('what is cut off or of an unknown type is refused', () => {
  for (const hex of ['08', '0880', '0a05616263', '09010203', '0d0102', '0b', `08${'ff'.repeat(11)}`]) {
    assert.throws(() => [...messageFields(Buffer.from(hex, 'hex'))], RangeError, hex);
  }
});

test('fields of types that nobody asks for are passed over', () => {
  const header = new MessageWriter().number(3, 7).end();
  const message = Buffer.concat([
    Buffer.from('f90101020304050607089d0101020304', 'hex'),
    new MessageWriter().message(1, header).number(4, 2).end(),
  ]);
  assert.deepEqual(readRangeResponse(message), { revision: 7, keyValues: [], count: 2 });
});

test('requests have the fields that etcd knows them by', () => {
  const key = Buffer.from('k');
  assert.equal(
    rangeRequest({ start: key, end: Buffer.from('l'), limit: 5, revision: 300, keysOnly: true }).toString('hex'),
    '0a016b12016c180520ac024001',
  );
  // A revision of zero is written: it stands for a key that is not there.
  assert.equal(
    changeRequest({ key, expected: 0, value: Buffer.from('v') }).toString('hex'),
    '0a0710021a016b3000120812060a016b1201761a070a050a016b4001',
  );
  assert.equal(
    changeRequest({ key, expected: 9 }).toString('hex'),
    '0a0710021a016b300912051a030a016b1a070a050a016b4001',
  );
  assert.equal(watchRequest({ start: key }, 4).toString('hex'), '0a070a016b18043001');
});

test('answers are read with all that is in them', () => {
  const header = new MessageWriter().number(1, 1).number(3, 12).end();
  const keyValue = new MessageWriter().bytes(1, Buffer.from('k')).number(2, 3).number(3, 11).bytes(5, Buffer.from('v'));
  const expected = { key: Buffer.from('k'), value: Buffer.from('v'), createRevision: 3, modRevision: 11 };
  const range = new MessageWriter().message(1, header).message(2, keyValue.end()).number(4, 1).end();
  assert.deepEqual(readRangeResponse(range), { revision: 12, keyValues: [expected], count: 1 });
  const operation = new MessageWriter().message(1, range).end();
  const change = new MessageWriter().message(1, header).message(3, operation).end();
  assert.deepEqual(readChangeResponse(change), { revision: 12, succeeded: false, present: expected });
  const event = new MessageWriter().number(1, 1).message(2, keyValue.end()).message(3, keyValue.end()).end();
  const watch = new MessageWriter().message(1, header).flag(4, true).number(5, 8).bytes(6, Buffer.from('why'));
  assert.deepEqual(readWatchResponse(watch.message(11, event).end()), {
    revision: 12,
    created: false,
    canceled: true,
    compactRevision: 8,
    cancelReason: 'why',
    events: [{ deleted: true, keyValue: expected, previous: expected }],
  });
  assert.throws(() => readWatchResponse(new MessageWriter().message(11, Buffer.alloc(0)).end()), RangeError);
});
