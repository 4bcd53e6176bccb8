/** Large enough that a piece costs little beside its bytes, small enough to stay in the processor's cache while it is encrypted. */
const pieceBytes = 64 * 1024;

/** Text, followed by bytes from an offset on. Where there is an offset, the text is at least as long as what it leaves out. */
export interface BytePart {
  readonly text: string;
  /** Length of the text in UTF-8. */
  readonly textBytes: number;
  readonly bytes: Buffer;
  readonly from: number;
}

const noBytes = Buffer.alloc(0);

export function textPart(text: string): BytePart {
  return { text, textBytes: Buffer.byteLength(text), bytes: noBytes, from: 0 };
}

/**
 * Bytes that are put together while they are sent, so that a long answer does not lie in memory as a whole: fetching fresh pages from the
 * system for it takes longer than filling them.
 */
export class PiecedBytes {
  readonly length: number;
  readonly #parts: readonly BytePart[];

  constructor(parts: readonly BytePart[]) {
    this.#parts = parts;
    let length = 0;
    for (const part of parts) length += lengthOf(part);
    this.length = length;
  }

  /** All bytes in pieces. A piece is valid until the next is asked for. */
  *pieces(): Iterable<Buffer> {
    const target = Buffer.allocUnsafe(Math.min(this.length, pieceBytes));
    let filled = 0;
    for (const part of this.#parts) {
      const length = lengthOf(part);
      if (filled > 0 && filled + length > target.length) {
        yield target.subarray(0, filled);
        filled = 0;
      }
      if (length > target.length) yield new PiecedBytes([part]).whole();
      else filled = write(target, filled, part);
    }
    if (filled > 0) yield target.subarray(0, filled);
  }

  /** All bytes at once. */
  whole(): Buffer {
    const target = Buffer.allocUnsafe(this.length);
    let filled = 0;
    for (const part of this.#parts) filled = write(target, filled, part);
    return target;
  }
}

function lengthOf({ textBytes, bytes, from }: BytePart): number {
  return textBytes + bytes.length - from;
}

/** Gives the offset behind the part. */
function write(target: Buffer, at: number, { text, textBytes, bytes, from }: BytePart): number {
  const textEnd = at + textBytes;
  // All bytes are copied, and the text is then written over those before the offset: quicker than making a view of the rest.
  target.set(bytes, textEnd - from);
  target.write(text, at, textBytes === text.length ? 'latin1' : 'utf8');
  return textEnd + bytes.length - from;
}
