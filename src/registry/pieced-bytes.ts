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
const comma = 0x2c;

export function textPart(text: string): BytePart {
  return { text, textBytes: Buffer.byteLength(text), bytes: noBytes, from: 0 };
}

/** How long a part is in bytes. */
function partLength({ textBytes, bytes, from }: BytePart): number {
  return textBytes + bytes.length - from;
}

/** The bytes of a single part. Those that are kept get memory of their own: short buffers are slices of larger pieces, all of which would stay. */
export function wholePart(part: BytePart, isKept = false): Buffer {
  const length = partLength(part);
  const target = isKept ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length);
  write(target, 0, part);
  return target;
}

/** What is put together: items with commas between them, and text before the first and behind the last. */
export interface PiecedParts {
  readonly before?: string;
  readonly items: readonly BytePart[];
  readonly after?: string;
}

/**
 * Bytes that are put together while they are sent, so that a long answer does not lie in memory as a whole: fetching fresh pages from the
 * system for it takes longer than filling them.
 */
export class PiecedBytes {
  readonly length: number;
  readonly #items: readonly BytePart[];
  readonly #before: BytePart;
  readonly #after: BytePart;

  constructor({ before = '', items, after = '' }: PiecedParts) {
    this.#items = items;
    this.#before = textPart(before);
    this.#after = textPart(after);
    let length = this.#before.textBytes + this.#after.textBytes + Math.max(items.length - 1, 0);
    for (const item of items) length += partLength(item);
    this.length = length;
  }

  /** All bytes in pieces. A piece is valid until the next is asked for. */
  *pieces(): Iterable<Buffer> {
    const target = Buffer.allocUnsafe(Math.min(this.length, pieceBytes));
    let filled = 0;
    for (const part of this.#parts()) {
      const length = partLength(part);
      if (filled > 0 && filled + length > target.length) {
        yield target.subarray(0, filled);
        filled = 0;
      }
      if (length > target.length) yield wholePart(part);
      else filled = write(target, filled, part);
    }
    if (filled > 0) yield target.subarray(0, filled);
  }

  /** All bytes at once. */
  whole(): Buffer {
    const target = Buffer.allocUnsafe(this.length);
    let at = write(target, 0, this.#before);
    for (let i = 0; i < this.#items.length; i++) {
      if (i > 0) target[at++] = comma;
      at = write(target, at, this.#items[i]!);
    }
    write(target, at, this.#after);
    return target;
  }

  *#parts(): Iterable<BytePart> {
    yield this.#before;
    for (let i = 0; i < this.#items.length; i++) {
      if (i > 0) yield commaPart;
      yield this.#items[i]!;
    }
    yield this.#after;
  }
}

const commaPart = textPart(',');

/** Gives the offset behind the part. */
function write(target: Buffer, at: number, { text, textBytes, bytes, from }: BytePart): number {
  const textEnd = at + textBytes;
  // All bytes are copied, and the text is then written over those before the offset: quicker than making a view of the rest.
  if (bytes.length > 0) target.set(bytes, textEnd - from);
  if (textBytes === 1) target[at] = text.charCodeAt(0);
  else target.write(text, at, textBytes === text.length ? 'latin1' : 'utf8');
  return textEnd + bytes.length - from;
}
