import { open, type FileHandle } from 'node:fs/promises';
import { endsLine } from './log-entry.ts';
import type { LogFiles } from './log-files.ts';

/** A place in a log: a byte of one of its files. */
export interface LogPosition {
  readonly number: number;
  readonly offset: number;
}

const blockSize = 65_536;
const newline = 10;

/** Where the last `lines` lines begin. Reads backwards from the end, no further than it has to. Nothing for a log without files. */
export async function findTail(files: LogFiles, lines: number): Promise<LogPosition | undefined> {
  const numbers = await files.numbers();
  const tail = new TailCount(lines);
  for (const number of numbers.reverse()) {
    const file = await openIfThere(files.path(number));
    if (!file) break;
    try {
      const offset = await tail.findIn(file);
      if (offset !== undefined) return { number, offset };
    } finally {
      await file.close();
    }
  }
  const first = numbers.at(-1);
  return first === undefined ? undefined : { number: first, offset: 0 };
}

/** Counts ends of lines from the end of the log: the tail begins behind the one that is too many. A last line without an end counts as one. */
class TailCount {
  #wanted: number;
  #atEnd = true;

  constructor(lines: number) {
    this.#wanted = lines;
  }

  async findIn(file: FileHandle): Promise<number | undefined> {
    const { size } = await file.stat();
    let after: Buffer = Buffer.alloc(0);
    // `end` is where the bytes in `after` begin; they are the beginning of an entry whose own beginning is not read yet.
    for (let end = size; end > 0;) {
      const start = Math.max(0, end - blockSize);
      const block = Buffer.concat([await readBlock(file, start, end), after]);
      const found = this.#findInBlock(block, start);
      if (found !== undefined) return found;
      const firstEnd = block.indexOf(newline);
      after = start > 0 ? block.subarray(0, firstEnd < 0 ? block.length : firstEnd + 1) : Buffer.alloc(0);
      end = start;
    }
    return undefined;
  }

  /** Looks at the entries that lie whole in the block, the last one first. */
  #findInBlock(block: Buffer, blockStart: number): number | undefined {
    let end = block.lastIndexOf(newline);
    while (end >= 0) {
      const before = end > 0 ? block.lastIndexOf(newline, end - 1) : -1;
      if (before < 0 && blockStart > 0) return undefined;
      if (this.#isTooMany(endsLine(block, before + 1))) return blockStart + end + 1;
      end = before;
    }
    return undefined;
  }

  #isTooMany(lineEnd: boolean): boolean {
    if (this.#wanted === 0) return true;
    if (lineEnd && !this.#atEnd) this.#wanted--;
    this.#atEnd = false;
    return lineEnd && this.#wanted === 0;
  }
}

async function readBlock(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const block = Buffer.alloc(end - start);
  let length = 0;
  while (length < block.length) {
    const { bytesRead } = await file.read(block, length, block.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return block.subarray(0, length);
}

/** Nothing for a file that was removed, as the oldest ones are. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
