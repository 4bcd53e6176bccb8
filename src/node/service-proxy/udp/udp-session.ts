import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Endpoint } from '../endpoint.ts';

export interface UdpSessionOptions {
  readonly endpoint: Endpoint;
  /** Takes what the endpoint answers. */
  onAnswer(message: Buffer): void;
  /** Called when the endpoint does not take what it is sent, or cannot be reached. */
  onBroken(error: Error): void;
}

/** What may wait for the socket to be ready; more is lost, as datagrams are. */
const longestQueue = 64;

/** What one client and one endpoint say to each other. The socket is connected, so that nobody else's datagrams count as answers. */
export class UdpSession {
  readonly endpoint: Endpoint;
  readonly #options: UdpSessionOptions;
  readonly #socket: Socket;
  #waiting: Buffer[] | undefined = [];
  #isClosed = false;

  constructor(options: UdpSessionOptions) {
    this.#options = options;
    this.endpoint = options.endpoint;
    const { ip, port } = options.endpoint;
    this.#socket = createSocket(isIPv6(ip) ? 'udp6' : 'udp4');
    this.#socket.on('message', (message) => options.onAnswer(message));
    this.#socket.on('error', (error) => this.#break(error));
    this.#socket.on('connect', () => this.#flush());
    this.#socket.connect(port, ip);
  }

  send(message: Buffer): void {
    if (this.#isClosed) return;
    if (!this.#waiting) this.#sendNow(message);
    else if (this.#waiting.length < longestQueue) this.#waiting.push(message);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.close();
  }

  #flush(): void {
    if (this.#isClosed) return;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.#sendNow(message);
  }

  #sendNow(message: Buffer): void {
    this.#socket.send(message, (error) => {
      if (error) this.#break(error);
    });
  }

  #break(error: Error): void {
    if (!this.#isClosed) this.#options.onBroken(error);
  }
}
