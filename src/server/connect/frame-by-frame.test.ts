import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameByFrame, FrameCutter } from './frame-by-frame.ts';

/** A frame as servers send it, or with a mask as clients do. */
function frame(length: number, isMasked: boolean): Buffer {
  const mark = isMasked ? 0x80 : 0;
  const mask = Buffer.alloc(isMasked ? 4 : 0, 7);
  if (length < 126) return Buffer.concat([Buffer.from([0x82, mark | length]), mask, Buffer.alloc(length, 1)]);
  const isShort = length < 65_536;
  const size = Buffer.alloc(isShort ? 2 : 8);
  if (isShort) size.writeUInt16BE(length);
  else size.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([0x82, mark | (isShort ? 126 : 127)]), size, mask, Buffer.alloc(length, 1)]);
}

describe('frames of a WebSocket', () => {
  it('are cut where they end, however they arrive', () => {
    const length = fc.oneof(fc.constantFrom(0, 1, 125, 126, 65_535, 65_536), fc.nat(300));
    const frames = fc.array(fc.tuple(length, fc.boolean()), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 5000 })), (wishes, cuts) => {
        const all = wishes.map(([size, isMasked]) => frame(size, isMasked));
        const bytes = Buffer.concat(all);
        const ends = new Set(all.map((_, i) => all.slice(0, i + 1).reduce((sum, each) => sum + each.length, 0)));
        const cutter = new FrameCutter();
        const pieces: Buffer[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts.length > 0 ? cuts[i % cuts.length]! : bytes.length;
          pieces.push(...cutter.cut(bytes.subarray(at, at + size)));
          at += size;
        }
        assert.ok(Buffer.concat(pieces).equals(bytes));
        const pieceEnds = new Set<number>();
        pieces.reduce((sum, piece) => (pieceEnds.add(sum + piece.length), sum + piece.length), 0);
        assert.deepEqual([...ends].filter((end) => !pieceEnds.has(end)), []); // prettier-ignore
      }),
    );
  });

  it('are written one after the other, and then the connection ends', async () => {
    const writes: number[] = [];
    let isWriting = false;
    const connection = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        assert.equal(isWriting, false);
        isWriting = true;
        writes.push(chunk.length);
        setImmediate(() => {
          isWriting = false;
          callback();
        });
      },
      writev() {
        assert.fail('two frames went into one write');
      },
    });
    const frames = new FrameByFrame(connection);
    frames.write(Buffer.concat([frame(3, false), frame(5, false), frame(0, false)]));
    frames.write(frame(200, false));
    frames.end();
    await finished(connection);
    assert.deepEqual(writes, [5, 7, 2, 204]);
  });

  it('that cannot be delivered are no failure of the server', async () => {
    const connection = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('gone')) });
    connection.on('error', () => undefined);
    const frames = new FrameByFrame(connection);
    frames.write(frame(3, false));
    await assert.rejects(finished(frames), /gone/);
  });
});
