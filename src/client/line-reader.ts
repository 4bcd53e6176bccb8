const newline = 0x0a;

/** Cuts a stream of bytes into lines. What waits for the rest of its line is bounded. */
export class LineReader {
  readonly #maxBytes: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes, without their ends. Throws a `RangeError` when a line is too long. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#takeLine());
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Whether the stream stopped in the middle of a line. */
  get isInsideLine(): boolean {
    return this.#waitingBytes > 0;
  }

  #keep(part: Buffer): void {
    this.#waitingBytes += part.length;
    if (this.#waitingBytes > this.#maxBytes) throw new RangeError(`a line has more than ${this.#maxBytes} bytes`);
    this.#waiting.push(part);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#waiting, this.#waitingBytes).toString('utf8');
    this.#waiting = [];
    this.#waitingBytes = 0;
    return line;
  }
}
