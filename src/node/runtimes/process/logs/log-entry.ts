/**
 * A log is a sequence of entries, each a line of its own: `2030-01-31T12:00:00.123000000Z stdout F the text`. `F` ends a line of the program,
 * `P` is a part of one that goes on in the stream's next entry. Everything before the text has the same length in every entry.
 */
export type LogStream = 'stdout' | 'stderr';

const newline = 10;
const full = 'F'.charCodeAt(0);
const stampLength = '2030-01-31T12:00:00.123000000Z'.length;
const streamAt = stampLength + 1;
const tagAt = streamAt + 'stdout '.length;
const headLength = tagAt + 2;

/** Longer lines are kept in parts, so that nobody has to hold more than this. */
export const maxPartLength = 16_384;

/** A moment as entries carry it; the same order as text and as time. */
export function stampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000000Z`;
}

export interface EncodedChunk {
  readonly entries: Buffer;
  /** What came after the last newline and waits for the rest of its line. */
  readonly rest: Buffer;
}

/** Turns what a stream carried into entries. `rest` is never longer than one part. */
export function encodeChunk(stream: LogStream, ms: number, chunk: Buffer): EncodedChunk {
  const head = Buffer.from(`${stampOf(ms)} ${stream} F `, 'latin1');
  const entries = new EntryBuffer(head, chunk.length);
  let start = 0;
  for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
    start = entries.addParts(chunk, start, end);
    entries.add(chunk, start, end, 'F');
    start = end + 1;
  }
  start = entries.addParts(chunk, start, chunk.length);
  return { entries: entries.take(), rest: chunk.subarray(start) };
}

/** An entry for a part of a line that waits no longer for its end. */
export function encodePart(stream: LogStream, ms: number, text: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${stampOf(ms)} ${stream} P `, 'latin1'), text, Buffer.of(newline)]);
}

/** Grows by doubling, so that a flood of short lines costs no allocation each. */
class EntryBuffer {
  readonly #head: Buffer;
  #bytes: Buffer;
  #length = 0;

  constructor(head: Buffer, textLength: number) {
    this.#head = head;
    this.#bytes = Buffer.allocUnsafe(textLength * 2 + 1024);
  }

  /** Adds what exceeds a part, and says where the last part begins. */
  addParts(text: Buffer, start: number, end: number): number {
    let at = start;
    for (; end - at > maxPartLength; at += maxPartLength) this.add(text, at, at + maxPartLength, 'P');
    return at;
  }

  add(text: Buffer, start: number, end: number, tag: 'F' | 'P'): void {
    const needed = this.#length + headLength + end - start + 1;
    if (needed > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], needed * 2);
    this.#head.copy(this.#bytes, this.#length);
    this.#bytes.write(tag, this.#length + tagAt, 'latin1');
    text.copy(this.#bytes, this.#length + headLength, start, end);
    this.#bytes[needed - 1] = newline;
    this.#length = needed;
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** One entry, as bytes in a block that was read. */
export interface LogEntry {
  readonly stamp: string;
  readonly stream: LogStream;
  /** Whether the program's line ends here. */
  readonly endsLine: boolean;
  readonly text: Buffer;
}

/** Reads the entry whose bytes, without the newline, these are; nothing for a torn one. */
export function parseEntry(line: Buffer): LogEntry | undefined {
  if (line.length < headLength) return undefined;
  const stream = line.toString('latin1', streamAt, streamAt + 'stdout'.length);
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  return {
    stamp: line.toString('latin1', 0, stampLength),
    stream,
    endsLine: endsLine(line),
    text: line.subarray(headLength),
  };
}

/** Whether the entry that begins here ends a line of the program. */
export function endsLine(block: Buffer, at = 0): boolean {
  return block[at + tagAt] === full;
}
