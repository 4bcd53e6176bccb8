import { Duplex } from 'node:stream';
import type { SessionStream } from '../session.ts';
import type { Headers } from './header-codec.ts';

/** What a stream needs of its session. */
export interface StreamSender {
  /** Resolves when the connection has taken the data. */
  send(stream: number, data: Buffer, fin: boolean): Promise<void>;
  reset(stream: number): void;
  /** The reader of a stream has caught up, or is gone: reading the connection may go on. */
  resume(): void;
  forget(stream: number): void;
}

/** One stream of a SPDY session. */
export class SpdyStream extends Duplex implements SessionStream {
  readonly id: number;
  readonly headers: Headers;
  readonly #sender: StreamSender;
  #isBehind = false;
  #isEnded = false;
  #isReset = false;

  constructor(id: number, headers: Headers, sender: StreamSender) {
    super({ allowHalfOpen: true, readableHighWaterMark: 64 * 1024, writableHighWaterMark: 64 * 1024 });
    this.id = id;
    this.headers = headers;
    this.#sender = sender;
  }

  /** Whether the reader has to catch up before more is handed over. What has ended is waited for no longer. */
  get isBehind(): boolean {
    return this.#isBehind && !this.#isEnded && !this.destroyed;
  }

  /** Hands over what arrived. What comes after the end is nobody's. */
  receive(data: Buffer, fin: boolean): void {
    if (this.#isEnded || this.destroyed) return;
    if (data.length > 0) this.#isBehind = !this.push(data);
    if (!fin) return;
    this.#isEnded = true;
    this.push(null);
  }

  /** The other side gave the stream up. */
  receiveReset(): void {
    this.#isReset = true;
    this.destroy();
  }

  override _read(): void {
    this.#isBehind = false;
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
