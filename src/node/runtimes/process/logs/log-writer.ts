import { open, type FileHandle } from 'node:fs/promises';
import type { Clock, Timer } from '../../../../base/clock.ts';
import { encodeChunk, encodePart, type LogStream } from './log-entry.ts';
import type { LogFiles } from './log-files.ts';

export interface LogLimits {
  /** A file is closed and the next one begun when it has this many bytes. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** How long the beginning of a line waits for its end before others may see it. */
const partDelayMs = 100;

export interface LogWriterOptions {
  readonly files: LogFiles;
  readonly limits: LogLimits;
  readonly clock: Clock;
  /** Whether parts of lines are written at once, as somebody at a terminal needs it. */
  readonly immediate: boolean;
}

/** Writes the log of one container. What is given in order is written in order; a promise that resolved says that readers see it. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #rests: Record<LogStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  readonly #listeners = new Set<() => void>();
  #file: FileHandle | undefined;
  #number = 0;
  #size = 0;
  #last: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #version = 0;
  #ended = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** Goes up with every write. */
  get version(): number {
    return this.#version;
  }

  /** Whether this one will add nothing any more: the container has ended, or the agent goes. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Calls back after every write and at the end, until told otherwise. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  append(stream: LogStream, chunk: Buffer): Promise<void> {
    const { clock, immediate } = this.#options;
    const now = clock.now();
    const rest = this.#rests[stream];
    const encoded = encodeChunk(stream, now, rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk);
    // A copy, because the chunk's memory is used again.
    this.#rests[stream] = Buffer.from(encoded.rest);
    if (immediate) return this.#write(Buffer.concat([encoded.entries, this.#takeRest(stream)]));
    if (encoded.rest.length > 0) this.#timer ??= clock.after(partDelayMs, () => void this.flush().catch(() => {}));
    return encoded.entries.length > 0 ? this.#write(encoded.entries) : Promise.resolve();
  }

  /** Writes what waits for the end of its line. */
  flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    const parts = Buffer.concat([this.#takeRest('stdout'), this.#takeRest('stderr')]);
    return parts.length > 0 ? this.#write(parts) : this.#last;
  }

  /** Writes the rest and closes the file; readers that follow come to an end. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#file?.close();
      this.#file = undefined;
      this.#ended = true;
      this.#changed();
    }
  }

  #takeRest(stream: LogStream): Buffer {
    const rest = this.#rests[stream];
    if (rest.length === 0) return rest;
    this.#rests[stream] = Buffer.alloc(0);
    return encodePart(stream, this.#options.clock.now(), rest);
  }

  #write(entries: Buffer): Promise<void> {
    const write = this.#last.then(() => this.#store(entries));
    // One that failed says so to its caller and holds up nobody else.
    this.#last = write.catch(() => {});
    return write;
  }

  async #store(entries: Buffer): Promise<void> {
    const file = await this.#current();
    try {
      for (let at = 0; at < entries.length;) at += (await file.write(entries, at)).bytesWritten;
    } catch (error) {
      // Half an entry may be there, which is ended when the file is opened again.
      this.#file = undefined;
      await file.close();
      throw error;
    }
    this.#size += entries.length;
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }

  async #current(): Promise<FileHandle> {
    const { files, limits } = this.#options;
    if (!this.#file) return this.#openLast();
    if (this.#size < limits.maxBytes) return this.#file;
    await this.#file.close();
    this.#file = undefined;
    await this.#openNumber(this.#number + 1);
    const numbers = await files.numbers();
    for (const old of numbers.slice(0, -limits.maxFiles)) await files.remove(old);
    return this.#file!;
  }

  async #openLast(): Promise<FileHandle> {
    const numbers = await this.#options.files.numbers();
    const file = await this.#openNumber(numbers.at(-1) ?? 1);
    // A writer that was killed may have left half an entry: it must not run into the next one.
    if (this.#size > 0 && (await lastByte(file, this.#size)) !== 10)
      this.#size += (await file.write('\n')).bytesWritten;
    return file;
  }

  async #openNumber(number: number): Promise<FileHandle> {
    const file = await open(this.#options.files.path(number), 'a+', 0o600);
    this.#file = file;
    this.#number = number;
    this.#size = (await file.stat()).size;
    return file;
  }
}

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, size - 1);
  return byte[0];
}
