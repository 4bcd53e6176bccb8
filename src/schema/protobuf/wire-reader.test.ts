import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { delimitedField, fixedField, groupField, varintField } from '../testing/wire-bytes.ts';
import { MalformedMessage } from './malformed-message.ts';
import { WireReader } from './wire-reader.ts';

function at(...fields: readonly Buffer[]): WireReader {
  const wire = new WireReader(Buffer.concat(fields));
  assert.ok(wire.next());
  return wire;
}

function hex(text: string): WireReader {
  return new WireReader(Buffer.from(text.replaceAll(' ', ''), 'hex'));
}

describe('a reader of protobuf', () => {
  it('goes from field to field and says what each is', () => {
    const wire = at(varintField(1, 150), delimitedField(16, 'abc'), fixedField(2, 8), fixedField(536_870_911, 4));
    const seen: [number, number][] = [];
    do {
      seen.push([wire.fieldNumber, wire.wireType]);
      wire.skip();
    } while (wire.next());
    assert.deepEqual(seen, [
      [1, 0],
      [16, 2],
      [2, 1],
      [536_870_911, 5],
    ]);
  });

  it('reads what others have written', () => {
    const wire = hex('08 96 01 12 07 74 65 73 74 69 6e 67');
    assert.ok(wire.next());
    assert.equal(wire.int32(), 150);
    assert.ok(wire.next());
    assert.equal(wire.text(), 'testing');
    assert.equal(wire.next(), false);
  });

  it('reads every integer that a number holds, negative ones in ten bytes', () => {
    assert.equal(hex('ff ff ff ff ff ff ff ff ff 01').int64(), -1);
    assert.equal(hex('ff ff ff ff ff ff ff ff ff 01').int32(), -1);
    assert.equal(hex('80 80 80 80 f8 ff ff ff ff 01').int32(), -(2 ** 31));
    const any = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer(),
      fc.constantFrom(0, 127, 128, 2 ** 28, 2 ** 31, 2 ** 32, -(2 ** 32)),
    );
    fc.assert(
      fc.property(any, (value) => assert.equal(at(varintField(1, value)).int64(), value)),
      fuzzRuns(300),
    );
    fc.assert(
      fc.property(fc.integer(), (value) => assert.equal(at(varintField(1, value)).int32(), value)),
      fuzzRuns(300),
    );
  });

  it('takes the lower half of a wider number for one of 32 bits, as is the rule', () => {
    assert.equal(at(varintField(1, 2 ** 32 + 5)).int32(), 5);
    assert.equal(at(varintField(1, 0xffff_ffff)).int32(), -1);
  });

  it('gives no safe integer for what a number cannot hold', () => {
    for (const value of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 2n ** 53n]) {
      assert.ok(!Number.isSafeInteger(at(varintField(1, value)).int64()), String(value));
    }
  });

  it('takes any number but 0 for true', () => {
    assert.equal(at(varintField(1, 0)).boolean(), false);
    for (const value of [1, 2, 2 ** 32, -1]) assert.equal(at(varintField(1, value)).boolean(), true);
  });

  it('stays within the message that it entered', () => {
    const wire = at(delimitedField(1, varintField(7, 5), delimitedField(8, 'rest')), varintField(2, 3));
    const outer = wire.enter();
    assert.ok(wire.next());
    assert.equal(wire.int32(), 5);
    wire.leave(outer);
    assert.ok(wire.next());
    assert.deepEqual([wire.fieldNumber, wire.int32(), wire.next()], [2, 3, false]);
  });

  it('refuses a value that goes on beyond its message', () => {
    const wire = hex('0a 02 12 05 68 65 6c 6c 6f');
    assert.ok(wire.next());
    wire.enter();
    assert.ok(wire.next());
    assert.throws(() => wire.text(), /end before the value/);
  });

  it('passes over groups, however deep', () => {
    let group = groupField(3, varintField(1, 1), delimitedField(2, 'x'));
    for (let i = 0; i < 3; i++) group = groupField(4, group, fixedField(5, 4));
    const wire = at(group, varintField(9, 1));
    wire.skip();
    assert.ok(wire.next());
    assert.equal(wire.fieldNumber, 9);

    const deep = at(Buffer.concat([Buffer.alloc(500_000, 0x0b), Buffer.alloc(500_000, 0x0c)]), varintField(2, 1));
    deep.skip();
    assert.ok(deep.next());
    assert.equal(deep.fieldNumber, 2);
  });

  const broken: readonly [what: string, bytes: string, complaint: RegExp][] = [
    ['a field number 0', '00 01', /0 is no number of a field/],
    ['a field number that is too high', '80 80 80 80 80 01 00', /no number of a field/],
    ['a varint without end', 'ff ff ff ff ff ff ff ff ff ff ff', /more than 10 bytes/],
    ['a varint that is cut off', '08 80', /end before the value/],
    ['a length beyond the end', '0a 05 61', /end before the value/],
    ['a length beyond all numbers', '0a ff ff ff ff ff ff ff ff ff 01', /end before the value/],
    ['a fixed value that is cut off', '09 00 00', /end before the value/],
    ['a shorter fixed value that is cut off', '0d 00', /end before the value/],
    ['a group without end', '0b 08 01', /a group has no end/],
    ['an end without a group', '0c', /wire type 4/],
    ['a group that ends as another', '0b 14', /ends that was not begun/],
    ['wire type 6', '0e', /wire type 6/],
    ['wire type 7', '0f', /wire type 7/],
  ];
  for (const [what, bytes, complaint] of broken) {
    it(`refuses ${what}`, () => {
      const wire = hex(bytes);
      const readAll = (): void => {
        while (wire.next()) wire.skip();
      };
      assert.throws(readAll, (error) => error instanceof MalformedMessage && complaint.test(error.message));
    });
  }

  it('refuses text that is not UTF-8', () => {
    assert.throws(() => at(delimitedField(1, Buffer.from([0x61, 0xff]))).text(), /not valid UTF-8/);
    assert.throws(() => at(delimitedField(1, Buffer.from([0xed, 0xa0, 0x80]))).text(), /not valid UTF-8/);
  });

  it('comes to an end with any bytes, or refuses them', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const wire = new WireReader(Buffer.from(bytes));
      try {
        while (wire.next()) wire.skip();
      } catch (error) {
        assert.ok(error instanceof MalformedMessage, String(error));
      }
    });
    fc.assert(property, fuzzRuns(2000));
  });
});
