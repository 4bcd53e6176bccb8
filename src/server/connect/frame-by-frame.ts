import { Writable } from 'node:stream';

/**
 * Passes on what the server of a WebSocket sends, each frame in a write of its own that begins when the one before it is done. Over TLS every frame then has
 * records of its own. Some clients, the official Python one among them, wait for the socket to become readable between frames, and would
 * overlook those that have come in the same record as the one before. Ending it ends the connection.
 */
export class FrameByFrame extends Writable {
  readonly #connection: Writable;
  readonly #cutter = new FrameCutter();

  constructor(connection: Writable) {
    super();
    this.#connection = connection;
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#writeAll(this.#cutter.cut(chunk)).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#connection.end(() => callback());
  }

  async #writeAll(pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      await new Promise<void>((resolve, reject) => {
        this.#connection.write(piece, (error) => (error ? reject(error) : resolve()));
      });
    }
  }
}

/** Cuts a stream of bytes where frames of WebSocket end. */
export class FrameCutter {
  /** What there is of a header that is not complete. */
  #header: number[] = [];
  /** How much of the current frame is still to come behind its header. */
  #left = 0;

  cut(chunk: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let [start, at] = [0, 0];
    while (at < chunk.length) {
      at = this.#left > 0 ? this.#skipPayload(at, chunk.length) : this.#readHeader(at, chunk);
      const isFrameOver = this.#left === 0 && this.#header.length === 0;
      if (!isFrameOver && at < chunk.length) continue;
      pieces.push(chunk.subarray(start, at));
      start = at;
    }
    return pieces;
  }

  #skipPayload(at: number, end: number): number {
    const taken = Math.min(this.#left, end - at);
    this.#left -= taken;
    return at + taken;
  }

  /** Two bytes, the second of which says how long what follows is, or how many bytes say so; then, from clients, a mask. */
  #readHeader(at: number, chunk: Buffer): number {
    this.#header.push(chunk[at]!);
    const [, second = 0] = this.#header;
    const short = second & 0x7f;
    const longBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (this.#header.length < 2 || this.#header.length < 2 + longBytes) return at + 1;
    const long = this.#header.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
    this.#left = (longBytes > 0 ? long : short) + (second & 0x80 ? 4 : 0);
    this.#header = [];
    return at + 1;
  }
}
