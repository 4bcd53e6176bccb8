import type { Server, ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { every, systemClock } from '../../base/clock.ts';

const lookMs = 30_000;

/**
 * The open connections of a server. Each is idle, answering (one or, with pipelining, several requests) or upgraded. Draining lets
 * those that answer finish; it does not end.
 */
export class Connections {
  /** Everything that was accepted, TLS handshakes under way included. */
  readonly #accepted = new Set<Socket>();
  /** What speaks HTTP, and the answers under way on it, in order. */
  readonly #speaking = new Map<Duplex, Set<ServerResponse>>();
  readonly #upgraded = new Set<Duplex>();
  /** Whole answers that were still under way at the last look. */
  #slow: ReadonlySet<ServerResponse> = new Set();
  #draining = false;

  constructor(server: Server, clock = systemClock) {
    const looking = every(clock, lookMs, () => this.#cutOffStalled());
    server.on('close', () => looking.cancel());
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on(server instanceof HttpsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#beginSpeaking(socket);
    });
  }

  #accept(socket: Socket): void {
    if (this.#accepted.has(socket)) return;
    this.#accepted.add(socket);
    socket.once('close', () => this.#accepted.delete(socket));
  }

  /** A connection that was taken again is known already. */
  #beginSpeaking(socket: Socket): void {
    if (this.#draining) socket.destroy();
    if (this.#speaking.has(socket)) return;
    this.#speaking.set(socket, new Set());
    socket.once('close', () => this.#speaking.delete(socket));
  }

  /** Resolves once no answer is under way on the socket. */
  async idle(socket: Duplex): Promise<void> {
    const responses = this.#speaking.get(socket) ?? new Set();
    for (let [first] = responses; first; [first] = responses) await closing(first);
  }

  /** A request came in on the socket; the connection is answering until the response is closed. */
  began(socket: Socket, response: ServerResponse): void {
    const responses = this.#speaking.get(socket);
    responses?.add(response);
    if (this.#draining) response.shouldKeepAlive = false;
    // Happens once; keeping count of that is dear.
    response.on('close', () => {
      responses?.delete(response);
      if (this.#draining && responses?.size === 0) socket.destroySoon();
    });
  }

  /** The socket no longer speaks HTTP. */
  upgraded(socket: Duplex): void {
    this.#speaking.delete(socket);
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    if (this.#draining) socket.destroy();
  }

  /**
   * What came in on the socket cannot be understood. `refuse` is called once it cannot be taken for a part of another answer: after those
   * to the requests before, and not when the request that went wrong is being answered already.
   */
  failed(socket: Duplex, refuse: () => void): void {
    const [first] = this.#speaking.get(socket) ?? [];
    if (!first || (!first.req.complete && !first.headersSent)) refuse();
    else if (!first.req.complete) socket.destroy();
    else first.once('close', () => this.failed(socket, refuse));
  }

  /** Closes what is idle or upgraded now, and the rest as soon as its answers are sent. */
  drain(): void {
    this.#draining = true;
    for (const socket of this.#upgraded) socket.destroy();
    for (const [socket, responses] of this.#speaking) {
      if (responses.size === 0) socket.destroy();
      for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = false;
    }
  }

  /** Resolves once every connection has told those who listen to it that it is closed, which is later than the server does. */
  async allClosed(): Promise<void> {
    await Promise.all(Array.from(this.#accepted, closing));
  }

  /**
   * Cuts off clients that have taken nothing of the end of an answer since the last look: nothing else ends such a connection. One timer for all,
   * because setting one for each answer takes longer than most answers.
   */
  #cutOffStalled(): void {
    const slow = new Set<ServerResponse>();
    for (const [socket, [first]] of this.#speaking) {
      if (!first?.writableEnded) continue;
      if (this.#slow.has(first)) socket.destroy();
      else slow.add(first);
    }
    this.#slow = slow;
  }

  destroyAll(): void {
    for (const socket of this.#accepted) socket.destroy();
  }
}

/** Unlike `once` of `node:events`, not rejected by an error that comes before. */
function closing(stream: Socket | ServerResponse): Promise<void> {
  return new Promise((resolve) => void stream.once('close', () => resolve()));
}
