import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** How messages carry bytes: the channel's number as the first byte, or as a digit before base64 text. */
export interface ChannelFraming {
  /** Channels have numbers below this one. */
  readonly channelCount: number;
  encode(channel: number, data: Buffer): Buffer | string;
  decode(message: Buffer, isBinary: boolean): { readonly channel: number; readonly data: Buffer } | undefined;
}

/** With version 5 a message on this channel says that one of the others gets no more. */
const closeChannel = 255;

export const binaryFraming: ChannelFraming = {
  channelCount: closeChannel,
  encode: (channel, data) => Buffer.concat([Buffer.from([channel]), data]),
  decode: (message) => (message.length > 0 ? { channel: message[0]!, data: message.subarray(1) } : undefined),
};

export const base64Framing: ChannelFraming = {
  channelCount: 10,
  encode: (channel, data) => String(channel) + data.toString('base64'),
  decode(message) {
    const text = message.toString('latin1');
    const channel = Number(text[0]);
    return Number.isInteger(channel) ? { channel, data: Buffer.from(text.slice(1), 'base64') } : undefined;
  },
};

/** What may wait to be sent before writers have to. */
const highWater = 256 * 1024;
/** A client that reads nothing of what is sent cannot have more than this wait for it by pinging. */
const mostUnread = 16 * 1024 * 1024;

/** Numbered channels over one WebSocket. Reading stops while the reader of any channel is behind. */
export class ChannelSocket {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #framing: ChannelFraming;
  readonly #channels = new Map<number, Channel>();
  #isClosing = false;

  constructor(socket: WebSocket, framing: ChannelFraming) {
    this.#socket = socket;
    this.#framing = framing;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve());
    });
    void this.closed.then(() => this.#endAll());
    socket.on('error', () => socket.terminate());
    // Pings are answered whether or not there is room.
    socket.on('ping', () => {
      if (socket.bufferedAmount > mostUnread) socket.terminate();
    });
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
  }

  channel(number: number): Duplex {
    let channel = this.#channels.get(number);
    if (!channel) this.#channels.set(number, (channel = new Channel(number, this)));
    return channel;
  }

  /** Resolves when the connection has room for more. */
  send(number: number, data: Buffer): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      if (socket.readyState !== socket.OPEN) {
        reject(new Error('the connection is gone'));
        return;
      }
      const isFull = socket.bufferedAmount > highWater;
      // Without room the callback, which comes when the bytes are out, is waited for.
      socket.send(this.#framing.encode(number, data), (error) => (error ? reject(error) : resolve()));
      if (!isFull) resolve();
    });
  }

  /** A channel has caught up, or is over: reading goes on unless another one is behind. */
  resume(): void {
    if (!this.#socket.isPaused) return;
    for (const channel of this.#channels.values()) if (channel.isBehind) return;
    this.#socket.resume();
  }

  ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  close(code = 1000): void {
    this.#isClosing = true;
    this.#socket.close(code);
    // The client's answer to that is to be read, whoever is behind.
    if (this.#socket.isPaused) this.#socket.resume();
  }

  #receive(message: Buffer, isBinary: boolean): void {
    const decoded = this.#framing.decode(message, isBinary);
    if (!decoded) return;
    if (decoded.channel === closeChannel) {
      this.#channels.get(decoded.data[0] ?? closeChannel)?.receiveEnd();
      return;
    }
    const channel = this.#channels.get(decoded.channel);
    // Channels that nobody asked for are nobody's, and nothing waits for a reader any more once the connection is to end.
    if (!channel || (this.#isClosing && channel.isBehind)) return;
    channel.receive(decoded.data);
    if (channel.isBehind && !this.#isClosing) this.#socket.pause();
  }

  #endAll(): void {
    for (const channel of this.#channels.values()) channel.receiveEnd();
  }
}

class Channel extends Duplex {
  readonly #number: number;
  readonly #socket: ChannelSocket;
  #isBehind = false;
  #isEnded = false;

  constructor(number: number, socket: ChannelSocket) {
    super({ allowHalfOpen: true });
    this.#number = number;
    this.#socket = socket;
    this.on('error', () => undefined);
  }

  /** Whether the reader has to catch up before more is handed over. What has ended is waited for no longer. */
  get isBehind(): boolean {
    return this.#isBehind && !this.#isEnded && !this.destroyed;
  }

  receive(data: Buffer): void {
    if (!this.#isEnded && !this.destroyed && data.length > 0) this.#isBehind = !this.push(data);
  }

  receiveEnd(): void {
    if (this.#isEnded || this.destroyed) return;
    this.#isEnded = true;
    this.push(null);
    this.#socket.resume();
  }

  override _read(): void {
    this.#isBehind = false;
    this.#socket.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    callback(error);
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.send(this.#number, chunk).then(() => callback(), callback);
  }
}
