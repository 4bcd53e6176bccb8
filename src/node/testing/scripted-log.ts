import { PassThrough, type Readable } from 'node:stream';
import type { LogOptions } from '../runtime.ts';

interface LogLine {
  readonly at: number;
  readonly text: string;
}

/** What a scripted container has printed, line by line. */
export class ScriptedLog {
  readonly #lines: LogLine[] = [];
  readonly #followers = new Set<(line: LogLine) => void>();
  readonly #ends = new Set<() => void>();
  #isOver = false;

  print(at: number, text: string): void {
    const line = { at, text };
    this.#lines.push(line);
    for (const follow of this.#followers) follow(line);
  }

  end(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
  }

  /** How many readers wait for more. */
  get followers(): number {
    return this.#followers.size;
  }

  read({ follow, timestamps, tailLines, limitBytes = Infinity, since = 0 }: LogOptions): Readable {
    const stream = new PassThrough();
    let left = limitBytes;
    const write = ({ at, text }: LogLine): void => {
      if (at < since || left <= 0) return;
      const bytes = Buffer.from(timestamps ? `${new Date(at).toISOString()} ${text}\n` : `${text}\n`);
      stream.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) stop();
    };
    const stop = (): void => {
      this.#followers.delete(write);
      this.#ends.delete(stop);
      stream.end();
    };
    const chosen = this.#lines.filter(({ at }) => at >= since);
    for (const line of tailLines === undefined ? chosen : chosen.slice(chosen.length - tailLines)) write(line);
    if (!follow || this.#isOver || left <= 0) {
      stop();
    } else {
      this.#followers.add(write);
      this.#ends.add(stop);
      stream.once('close', stop);
    }
    return stream;
  }
}
