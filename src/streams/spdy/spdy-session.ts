import type { Duplex } from 'node:stream';
import { deferred, type Deferred } from '../../base/deferred.ts';
import type { SessionStream, StreamSession } from '../session.ts';
import {
  dataHead,
  FrameReader,
  goawayFrame,
  openFrame,
  pingFrame,
  replyFrame,
  resetFrame,
  type Frame,
} from './frame.ts';
import { HeaderCodec, type Headers } from './header-codec.ts';
import { SpdyStream, type StreamSender } from './spdy-stream.ts';

/** Who opens streams with odd numbers (the client) and who with even ones. */
export type SpdyRole = 'client' | 'server';

const longestData = 32 * 1024;
const mostStreams = 4096;
/** What the other side may ask for, such as answers to pings, without reading it. */
const mostOwedBytes = 64 * 1024;
const noBytes = Buffer.alloc(0);
const refused = 3;
const cancelled = 5;

/**
 * SPDY/3.1 as kubectl and its relatives speak it: no windows, so what holds a fast sender back is the connection itself. Reading stops while the reader of
 * any stream is behind, and writing waits for the socket, so that nothing is held beyond a few buffers.
 */
export class SpdySession implements StreamSession, StreamSender {
  readonly closed: Promise<void>;
  readonly #socket: Duplex;
  readonly #codec = new HeaderCodec();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #closed = deferred<void>();
  #listener: (stream: SessionStream) => void = (stream) => stream.destroy();
  #nextId: number;
  #nextPing: number;
  #lastSeen = 0;
  /** Bytes of answers that the connection has not taken yet. */
  #owedBytes = 0;
  #wake: (() => void) | undefined;
  /** What all writers wait for while the connection has no room: one for all, however many streams there are. */
  #room: Deferred<void> | undefined;
  #isClosed = false;
  /** Header blocks are one compressed stream, so they are written one after the other. */
  #headerTurn: Promise<void> = Promise.resolve();

  constructor(socket: Duplex, role: SpdyRole, head: Buffer = Buffer.alloc(0)) {
    this.#socket = socket;
    this.#nextId = role === 'client' ? 1 : 2;
    this.#nextPing = this.#nextId;
    this.closed = this.#closed.promise;
    socket.on('drain', () => this.#letWrite());
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
    if (head.length > 0) socket.unshift(head);
    this.#readAll().then(
      () => this.close(),
      () => this.close(),
    );
  }

  onStream(listener: (stream: SessionStream) => void): void {
    this.#listener = listener;
  }

  async openStream(headers: Headers): Promise<SessionStream> {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(id, headers, this);
    this.#streams.set(id, stream);
    await this.#inTurn(async () => this.#socket.write(openFrame(id, await this.#codec.pack(headers))));
    return stream;
  }

  /** Asks for an answer that nobody waits for: a connection that is broken shows itself. */
  ping(): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#socket.write(pingFrame(this.#nextPing));
    this.#nextPing = (this.#nextPing + 2) % 2 ** 32;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const socket = this.#socket;
    if (!socket.destroyed && !socket.writableEnded) {
      socket.write(goawayFrame(this.#lastSeen));
      socket.end(() => socket.destroy());
    }
    for (const stream of this.#streams.values()) stream.receiveReset();
    this.#wake?.();
    this.#letWrite();
    this.#codec.close();
    this.#closed.resolve();
  }

  async send(stream: number, data: Buffer, fin: boolean): Promise<void> {
    let at = 0;
    do {
      const part = data.subarray(at, at + longestData);
      at += part.length;
      await this.#write(dataHead(stream, part.length, fin && at >= data.length), part);
    } while (at < data.length);
  }

  reset(stream: number): void {
    if (!this.#socket.writableEnded && !this.#socket.destroyed) this.#socket.write(resetFrame(stream, cancelled));
  }

  resume(): void {
    this.#wake?.();
  }

  forget(stream: number): void {
    this.#streams.delete(stream);
  }

  async #write(head: Buffer, data: Buffer): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) throw new Error('the connection is gone');
    socket.cork();
    socket.write(head);
    const flows = socket.write(data);
    socket.uncork();
    if (flows || this.#isClosed) return;
    this.#room ??= deferred();
    await this.#room.promise;
  }

  #letWrite(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #inTurn(write: () => Promise<unknown>): Promise<void> {
    this.#headerTurn = this.#headerTurn.then(write).then(() => undefined);
    return this.#headerTurn;
  }

  async #readAll(): Promise<void> {
    const reader = new FrameReader();
    for await (const chunk of this.#socket) {
      for (const frame of reader.read(chunk as Buffer)) await this.#handle(frame);
    }
  }

  async #handle(frame: Frame): Promise<void> {
    switch (frame.type) {
      case 'data':
        return this.#receive(frame.stream, frame.data, frame.fin);
      case 'open':
        return this.#accept(frame);
      case 'reply':
      case 'headers':
        // Unpacked all the same: the next block builds on it.
        await this.#codec.unpack(frame.headers);
        return this.#receive(frame.stream, noBytes, frame.fin);
      case 'reset':
        this.#streams.get(frame.stream)?.receiveReset();
        return undefined;
      case 'ping':
        this.#answerPing(frame.id);
        return undefined;
      case 'goaway':
        return undefined;
      case 'other':
        return undefined;
    }
  }

  async #accept(frame: { stream: number; fin: boolean; headers: Buffer }): Promise<void> {
    const headers = await this.#codec.unpack(frame.headers);
    const id = frame.stream;
    if (this.#streams.size >= mostStreams || this.#streams.has(id)) {
      this.#answer(resetFrame(id, refused));
      return;
    }
    this.#lastSeen = id;
    const stream = new SpdyStream(id, headers, this);
    this.#streams.set(id, stream);
    stream.on('error', () => undefined);
    await this.#inTurn(async () => this.#answer(replyFrame(id, await this.#codec.pack({}))));
    this.#listener(stream);
    if (frame.fin) stream.receive(noBytes, true);
  }

  async #receive(id: number, data: Buffer, fin: boolean): Promise<void> {
    const stream = this.#streams.get(id);
    if (!stream) return;
    stream.receive(data, fin);
    while (this.#waitsFor(stream)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
  }

  /** Looked at whenever something wakes the session: every stream does when it is read, not only the one that is waited for. */
  #waitsFor(stream: SpdyStream): boolean {
    return stream.isBehind && !this.#isClosed;
  }

  /** Pings are answered by whoever did not send them: the parity of the id tells. */
  #answerPing(id: number): void {
    const isOurs = id % 2 === this.#nextId % 2;
    if (!isOurs) this.#answer(pingFrame(id));
  }

  /** Reading does not stop for answers: two sides that wait for each other to read would wait for ever. Whoever reads none of them is left. */
  #answer(frame: Buffer): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#owedBytes += frame.length;
    if (this.#owedBytes > mostOwedBytes) throw new Error('the other side does not read the answers that it asks for');
    this.#socket.write(frame, () => (this.#owedBytes -= frame.length));
  }
}
