import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import * as field from '../builders.ts';
import { decode } from '../decode.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { delimitedField, fixedField, groupField, varint, varintField } from '../testing/wire-bytes.ts';
import { MalformedMessage } from './malformed-message.ts';
import type { MessageNumbers } from './message-numbers.ts';
import { MessagePlans } from './message-plan.ts';
import { readMessage } from './read-message.ts';

const innerType = field.object('v1.Inner', 'Inside.', {
  name: field.string('A name.'),
  size: field.integer('A size.'),
});

const type = field.object('v1.Sample', 'Everything there is.', {
  text: field.string('Text.'),
  int: field.integer('An integer.').keepZero(),
  long: field.long('A longer one.'),
  flag: field.boolean('True or false.').keepZero(),
  moment: field.time('When.'),
  port: field.intOrString('Which.').keepZero(),
  anything: field.any('Whatever.'),
  inner: field.one(innerType, 'One.'),
  items: field.list(innerType, 'Many.'),
  words: field.strings('Words.'),
  longs: field.longs('Numbers.'),
  labels: field.stringMap('Labels.'),
  lists: field.stringsMap('Lists by key.'),
  data: field.bytesMap('Bytes by key.'),
  amounts: field.quantities('Amounts by key.'),
  path: field.string('Stands in a message of its own.'),
  host: field.string('Stands in there, too.'),
});

const numbers: MessageNumbers = {
  Sample: {
    text: 1,
    int: 2,
    long: 3,
    flag: 4,
    moment: 5,
    port: 6,
    anything: 7,
    inner: 8,
    items: 9,
    words: 10,
    longs: 11,
    labels: 12,
    lists: 13,
    data: 14,
    amounts: 15,
    path: [16, 1],
    host: [16, 2],
    later: 20,
    laterWithin: [16, 3],
  },
  Inner: { name: 1, size: 2, later: 3 },
};

const plans = new MessagePlans(numbers);

function read(...fields: readonly Buffer[]): Record<string, unknown> {
  return readMessage(type, plans, Buffer.concat(fields));
}

describe('a message', () => {
  it('is read as the JSON that says the same', () => {
    assert.deepEqual(read(delimitedField(1, 'ä😀'), varintField(2, -7), varintField(3, 2 ** 40), varintField(4, 1)), {
      text: 'ä😀',
      int: -7,
      long: 2 ** 40,
      flag: true,
    });
    assert.deepEqual(read(), {});
  });

  it('may hold messages, which are there even when they are empty', () => {
    assert.deepEqual(read(delimitedField(8)), { inner: {} });
    assert.deepEqual(read(delimitedField(9, delimitedField(1, 'a')), delimitedField(9)), {
      items: [{ name: 'a' }, {}],
    });
  });

  it('adds up what comes twice: lists grow, messages merge, and of values the last one counts', () => {
    const inner = [delimitedField(8, delimitedField(1, 'a')), delimitedField(8, varintField(2, 3))];
    assert.deepEqual(read(...inner), { inner: { name: 'a', size: 3 } });
    assert.deepEqual(read(delimitedField(1, 'a'), delimitedField(1, 'b')), { text: 'b' });
    assert.deepEqual(read(delimitedField(10, 'a'), varintField(2, 1), delimitedField(10, '')), {
      words: ['a', ''],
      int: 1,
    });
  });

  it('may hold lists of numbers in one piece, one by one, or both', () => {
    const packed = delimitedField(11, varint(1), varint(-2), varint(300));
    assert.deepEqual(read(packed), { longs: [1, -2, 300] });
    assert.deepEqual(read(varintField(11, 7), packed), { longs: [7, 1, -2, 300] });
    assert.deepEqual(read(delimitedField(11)), { longs: [] });
    assert.throws(() => read(delimitedField(11, Buffer.from([0x80]))), /longs\[0\]: the bytes end/);
  });

  it('has maps as entries of a key and a value, either of which may be left out', () => {
    const entry = (number: number, key: string, value: Buffer): Buffer =>
      delimitedField(number, delimitedField(1, key), value);
    assert.deepEqual(
      read(
        entry(12, 'a', delimitedField(2, 'b')),
        delimitedField(12, delimitedField(1, 'c')),
        delimitedField(12),
        delimitedField(12, delimitedField(2, 'later'), delimitedField(1, 'd'), varintField(9, 1)),
      ),
      { labels: { a: 'b', c: '', '': '', d: 'later' } },
    );
    assert.deepEqual(
      read(entry(13, 'a', delimitedField(2, delimitedField(1, 'x'), varintField(2, 1), delimitedField(1, 'y')))),
      {
        lists: { a: ['x', 'y'] },
      },
    );
    assert.deepEqual(read(delimitedField(13, delimitedField(1, 'a'))), { lists: { a: [] } });
    assert.deepEqual(read(entry(14, 'a', delimitedField(2, Buffer.from([0, 255, 16])))), { data: { a: 'AP8Q' } });
    assert.deepEqual(read(entry(15, 'cpu', delimitedField(2, delimitedField(1, '250m')))), {
      amounts: { cpu: '250m' },
    });
  });

  it('takes any key but __proto__', () => {
    const keys = ['constructor', 'toString', 'hasOwnProperty'];
    const { labels } = read(...keys.map((key) => delimitedField(12, delimitedField(1, key), delimitedField(2, 'x'))));
    assert.deepEqual(
      Object.entries(labels as object),
      keys.map((key) => [key, 'x']),
    );
    assert.throws(() => read(delimitedField(12, delimitedField(1, '__proto__'))), /labels: the key "__proto__"/);
  });

  it('shows the fields of a part as its own', () => {
    assert.deepEqual(read(delimitedField(16, delimitedField(1, '/'), delimitedField(2, 'h'))), {
      path: '/',
      host: 'h',
    });
    assert.deepEqual(read(delimitedField(16)), {});
    assert.throws(() => read(varintField(16, 1)), /wire type 0; 2 is wanted/);
  });
});

describe('a moment', () => {
  it('is told in seconds', () => {
    assert.deepEqual(read(delimitedField(5, varintField(1, 1_900_000_000), varintField(2, 999))), {
      moment: '2030-03-17T17:46:40Z',
    });
    assert.deepEqual(read(delimitedField(5, varintField(1, -1))), { moment: '1969-12-31T23:59:59Z' });
    assert.deepEqual(read(delimitedField(5, varintField(1, 0))), { moment: '1970-01-01T00:00:00Z' });
  });

  it('is absent when nothing is said', () => {
    assert.deepEqual(read(delimitedField(5)), {});
  });

  it('is within the years of four digits', () => {
    assert.deepEqual(read(delimitedField(5, varintField(1, 253_402_300_799))), { moment: '9999-12-31T23:59:59Z' });
    for (const seconds of [253_402_300_800, -62_167_219_201, 2n ** 63n - 1n, -(2n ** 63n)]) {
      assert.throws(() => read(delimitedField(5, varintField(1, seconds))), /moment: .* no moment of the years/);
    }
  });
});

describe('an integer or string', () => {
  const value = (which: number, int: number, text: string): Buffer =>
    delimitedField(6, varintField(1, which), varintField(2, int), delimitedField(3, text));

  it('is what it says it is', () => {
    assert.deepEqual(read(value(0, 8080, '')), { port: 8080 });
    assert.deepEqual(read(value(1, 0, '25%')), { port: '25%' });
    assert.deepEqual(read(value(1, 5, '')), { port: '' });
    assert.deepEqual(read(value(0, -1, 'x')), { port: -1 });
    assert.deepEqual(read(delimitedField(6)), { port: 0 });
  });

  it('is nothing else', () => {
    assert.throws(() => read(value(2, 0, '')), /port: it is neither an integer nor a string/);
    assert.throws(
      () => read(delimitedField(6, delimitedField(2, 'x'))),
      /port: it has wire type 2 within; 0 is wanted/,
    );
  });
});

describe('any value', () => {
  it('is JSON in a message', () => {
    assert.deepEqual(read(delimitedField(7, delimitedField(1, '{"a":[1]}'))), { anything: { a: [1] } });
    assert.deepEqual(read(delimitedField(7)), {});
    assert.throws(() => read(delimitedField(7, delimitedField(1, '{'))), /anything: it is not valid JSON/);
  });
});

describe('a field that the type does not have', () => {
  it('is told by its name where that is known, and by its number elsewhere', () => {
    const fields = read(
      delimitedField(20, 'x'),
      varintField(21, 1),
      fixedField(22, 8),
      groupField(23),
      delimitedField(16, delimitedField(3, 'x'), varintField(99, 1)),
      delimitedField(9, delimitedField(3, 'x')),
    );
    assert.deepEqual(decode(type, fields).unknown.toSorted(), [
      '#21',
      '#22',
      '#23',
      '#99',
      'items[0].later',
      'later',
      'laterWithin',
    ]);
    assert.deepEqual(decode(type, fields).mistakes, []);
  });

  it('is not there when it says nothing', () => {
    assert.deepEqual(
      read(delimitedField(20), varintField(21, 0), delimitedField(22, varintField(1, 0), delimitedField(2))),
      {},
    );
  });

  it('says something when there is anything deep within, or too deep to look', () => {
    let deep = delimitedField(1, varintField(1, 1));
    for (let i = 0; i < 4; i++) deep = delimitedField(1, deep);
    assert.deepEqual(read(delimitedField(20, deep)), { later: null });
    let deepest = delimitedField(1);
    for (let i = 0; i < 200; i++) deepest = delimitedField(1, deepest);
    assert.deepEqual(read(delimitedField(20, deepest)), { later: null });
  });

  it('must still be whole', () => {
    assert.throws(() => read(Buffer.from([0xa2, 0x01, 0x05, 0x61])), MalformedMessage);
  });
});

describe('a message that is broken', () => {
  it('is refused with the field where it is', () => {
    const cases: readonly [Buffer, RegExp][] = [
      [varintField(1, 1), /^text: it has wire type 0; 2 is wanted here/],
      [delimitedField(2, 'x'), /^int: it has wire type 2; 0 is wanted here/],
      [fixedField(2, 4), /^int: it has wire type 5/],
      [delimitedField(10, Buffer.from([0xff])), /^words\[0\]: the text is not valid UTF-8/],
      [
        Buffer.concat([delimitedField(9), delimitedField(9, varintField(1, 1))]),
        /^items\[1\]\.name: it has wire type 0/,
      ],
      [delimitedField(12, varintField(1, 1)), /^labels: it has wire type 0/],
      [varintField(12, 1), /^labels: it has wire type 0/],
      [delimitedField(8, Buffer.from([0x0a, 0x7f])), /^inner\.name: the bytes end/],
      [varintField(9, 1), /^items\[0\]: it has wire type 0/],
    ];
    for (const [bytes, complaint] of cases) {
      assert.throws(
        () => read(bytes),
        (error) => error instanceof MalformedMessage && complaint.test(error.message),
        String(complaint),
      );
    }
  });

  it('is refused or read, whatever the bytes are', () => {
    const tags = Array.from({ length: 26 }, (_, number) => [number * 8, number * 8 + 2]).flat();
    const byte = fc.oneof(fc.constantFrom(...tags), fc.nat(255), fc.nat(6));
    const property = fc.property(fc.array(byte, { maxLength: 40 }), (bytes) => {
      try {
        decode(type, readMessage(type, plans, Buffer.from(bytes)));
      } catch (error) {
        assert.ok(error instanceof MalformedMessage, String(error));
      }
    });
    fc.assert(property, fuzzRuns(3000));
  });
});
