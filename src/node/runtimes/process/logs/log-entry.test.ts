import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeChunk, encodePart, maxPartLength, parseEntry, stampOf, type LogEntry } from './log-entry.ts';

const moment = Date.UTC(2030, 0, 31, 12, 0, 0, 123);

function parseAll(entries: Buffer): LogEntry[] {
  const parsed: LogEntry[] = [];
  for (let start = 0; start < entries.length;) {
    const end = entries.indexOf(10, start);
    parsed.push(parseEntry(entries.subarray(start, end))!);
    start = end + 1;
  }
  return parsed;
}

describe('log entries', () => {
  it('an entry has a moment, a stream, whether the line ends, and the text', () => {
    const { entries, rest } = encodeChunk('stderr', moment, Buffer.from('one\n\ntwo'));
    const stamp = '2030-01-31T12:00:00.123000000Z';
    assert.equal(entries.toString(), `${stamp} stderr F one\n${stamp} stderr F \n`);
    assert.equal(rest.toString(), 'two');
    assert.equal(encodePart('stdout', moment, rest).toString(), `${stamp} stdout P two\n`);
    assert.equal(stampOf(moment), stamp);
  });

  it('whatever is written in whatever pieces is read as it was', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array.map((byte) => byte % 16)));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 20 }), (chunks) => {
        let rest = Buffer.alloc(0);
        let written = Buffer.alloc(0);
        for (const chunk of chunks) {
          const encoded = encodeChunk('stdout', moment, Buffer.concat([rest, chunk]));
          written = Buffer.concat([written, encoded.entries]);
          rest = Buffer.from(encoded.rest);
        }
        if (rest.length > 0) written = Buffer.concat([written, encodePart('stdout', moment, rest)]);
        const read = parseAll(written).map(({ text, endsLine }) => Buffer.concat([text, Buffer.from(endsLine ? '\n' : '')])); // prettier-ignore
        assert.ok(Buffer.concat(read).equals(Buffer.concat(chunks)));
      }),
    );
  });

  it('long lines are cut into parts, and what waits is never longer than one', () => {
    const { entries, rest } = encodeChunk('stdout', moment, Buffer.alloc(maxPartLength * 2 + 5, 'x'));
    const parts = parseAll(entries);
    assert.deepEqual(
      parts.map(({ endsLine, text }) => [endsLine, text.length]),
      [
        [false, maxPartLength],
        [false, maxPartLength],
      ],
    );
    assert.equal(rest.length, 5);
  });

  it('a torn entry is no entry', () => {
    assert.equal(parseEntry(Buffer.from('2030-01-31T12:00')), undefined);
    assert.equal(parseEntry(Buffer.from('2030-01-31T12:00:00.123000000Z nothing F text')), undefined);
  });
});
