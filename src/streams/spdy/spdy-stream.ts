import { Duplex } from 'node:stream';
import type { SessionStream } from '../session.ts';
import type { Headers } from './header-codec.ts';

/** What a stream needs of its session. */
export interface StreamSender {
  /** Resolves when the connection has taken the data. */
  send(stream: number, data: Buffer, fin: boolean): Promise<void>;
  reset(stream: number): void;
  /** The reader of a stream has caught up: reading the connection may go on. */
  resume(): void;
  forget(stream: number): void;
}

/** One stream of a SPDY session. */
export class SpdyStream extends Duplex implements SessionStream {
  readonly id: number;
  readonly headers: Headers;
  readonly #sender: StreamSender;
  #isReset = false;

  constructor(id: number, headers: Headers, sender: StreamSender) {
    super({ allowHalfOpen: true, readableHighWaterMark: 64 * 1024, writableHighWaterMark: 64 * 1024 });
    this.id = id;
    this.headers = headers;
    this.#sender = sender;
  }

  /** Hands over what arrived; false when the reader is behind. */
  receive(data: Buffer, fin: boolean): boolean {
    let keepsUp = true;
    if (data.length > 0 && !this.readableEnded && !this.destroyed) keepsUp = this.push(data);
    if (fin && !this.destroyed) this.push(null);
    return keepsUp;
  }

  /** The other side gave the stream up. */
  receiveReset(): void {
    this.#isReset = true;
    this.destroy();
  }

  override _read(): void {
    this.#sender.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#sender.send(this.id, chunk, false).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#sender.send(this.id, Buffer.alloc(0), true).then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const isOver = this.readableEnded && this.writableFinished;
    if (!isOver && !this.#isReset) this.#sender.reset(this.id);
    this.#sender.forget(this.id);
    // The reader may wait for a drain that will not come.
    this.#sender.resume();
    callback(error);
  }
}
