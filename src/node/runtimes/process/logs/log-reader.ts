import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { LogOptions } from '../../../runtime.ts';
import { findTail, openIfThere } from './find-tail.ts';
import { parseEntry, stampOf, type LogEntry, type LogStream } from './log-entry.ts';
import type { LogFiles } from './log-files.ts';
import type { LogWriter } from './log-writer.ts';

const blockSize = 65_536;
const newline = Buffer.from('\n');

/** A log as a stream of text. It reads only as fast as somebody takes it, from the files, so a slow reader costs no memory. */
export function readLog(files: LogFiles, writer: LogWriter, options: LogOptions): Readable {
  const reader = new LogReader(files, writer, options);
  return new Readable({
    highWaterMark: blockSize,
    read() {
      reader.next().then(
        (text) => this.push(text ?? null),
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy(error, callback) {
      reader.close().then(() => callback(error), callback);
    },
  });
}

/** Goes through the files of a log, oldest first, and at the end of the last one waits for more when it follows. */
class LogReader {
  readonly #files: LogFiles;
  readonly #writer: LogWriter;
  readonly #options: LogOptions;
  readonly #text: LogText;
  #file: FileHandle | undefined;
  #number: number | undefined;
  #offset = 0;
  #torn: Buffer = Buffer.alloc(0);
  #started = false;
  #closed = false;
  #wake: (() => void) | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(files: LogFiles, writer: LogWriter, options: LogOptions) {
    this.#files = files;
    this.#writer = writer;
    this.#options = options;
    this.#text = new LogText(options);
  }

  /** The next piece of text, never empty; nothing at the end. */
  next(): Promise<Buffer | undefined> {
    const next = this.#next();
    this.#busy = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake?.();
    await this.#busy;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #next(): Promise<Buffer | undefined> {
    if (!this.#started) await this.#start();
    while (!this.#closed && !this.#text.isFull) {
      const { version, ended } = this.#writer;
      const block = await this.#read();
      const text = block ? this.#text.of(this.#entriesIn(block)) : undefined;
      if (text?.length) return text;
      if (block || (await this.#openNext())) continue;
      if (!this.#options.follow || ended) break;
      await this.#change(version);
    }
    return undefined;
  }

  async #start(): Promise<void> {
    this.#started = true;
    const { tailLines } = this.#options;
    const position = tailLines === undefined ? undefined : await findTail(this.#files, tailLines);
    if (!position) return;
    this.#file = await openIfThere(this.#files.path(position.number));
    this.#number = position.number;
    this.#offset = position.offset;
  }

  async #read(): Promise<Buffer | undefined> {
    if (!this.#file) return undefined;
    const block = Buffer.allocUnsafe(blockSize);
    const { bytesRead } = await this.#file.read(block, 0, blockSize, this.#offset);
    this.#offset += bytesRead;
    return bytesRead > 0 ? block.subarray(0, bytesRead) : undefined;
  }

  /** Entries that are complete; the beginning of another one waits for its end. */
  *#entriesIn(block: Buffer): Generator<LogEntry> {
    const bytes = this.#torn.length > 0 ? Buffer.concat([this.#torn, block]) : block;
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      const entry = parseEntry(bytes.subarray(start, end));
      start = end + 1;
      if (entry) yield entry;
    }
    this.#torn = bytes.subarray(start);
  }

  /** Goes on to the file after this one. What the writer added to this one before it went on has been read: looks come in that order. */
  async #openNext(): Promise<boolean> {
    const numbers = await this.#files.numbers();
    const next = numbers.find((number) => number > (this.#number ?? 0));
    if (next === undefined || (await this.#hasMore())) return next !== undefined;
    const file = await openIfThere(this.#files.path(next));
    await this.#file?.close();
    this.#file = file;
    this.#number = next;
    this.#offset = 0;
    this.#torn = Buffer.alloc(0);
    return true;
  }

  async #hasMore(): Promise<boolean> {
    return this.#file !== undefined && (await this.#file.stat()).size > this.#offset;
  }

  /** Resolves when the log is another than at `version`, or when nobody reads any more. */
  #change(version: number): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#writer.onChange(() => this.#wake?.());
      this.#wake = (): void => {
        this.#wake = undefined;
        forget();
        resolve();
      };
      if (this.#writer.version !== version || this.#closed) this.#wake();
    });
  }
}

/** Turns entries into what a reader asked to see. */
class LogText {
  readonly #timestamps: boolean;
  readonly #since: string | undefined;
  readonly #withinLine: Record<LogStream, boolean> = { stdout: false, stderr: false };
  #bytesLeft: number;

  constructor(options: LogOptions) {
    this.#timestamps = options.timestamps;
    this.#since = options.since === undefined ? undefined : stampOf(options.since);
    this.#bytesLeft = options.limitBytes ?? Infinity;
  }

  get isFull(): boolean {
    return this.#bytesLeft <= 0;
  }

  of(entries: Iterable<LogEntry>): Buffer {
    const pieces: Buffer[] = [];
    for (const { stamp, stream, endsLine, text } of entries) {
      if (this.#since !== undefined && stamp < this.#since) continue;
      if (this.#timestamps && !this.#withinLine[stream]) pieces.push(Buffer.from(`${stamp} `, 'latin1'));
      pieces.push(text);
      if (endsLine) pieces.push(newline);
      this.#withinLine[stream] = !endsLine;
    }
    const all = Buffer.concat(pieces);
    const text = all.length > this.#bytesLeft ? all.subarray(0, this.#bytesLeft) : all;
    this.#bytesLeft -= text.length;
    return text;
  }
}
