import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The open connections of a server and what each is busy with. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #answering = new Map<Duplex, number>();
  readonly #upgraded = new Set<Duplex>();
  #draining = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** A request came in on the socket; it counts until its response is closed. */
  began(socket: Socket, response: ServerResponse): void {
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    if (this.#draining) response.shouldKeepAlive = false;
    response.once('close', () => this.#ended(socket));
  }

  #ended(socket: Socket): void {
    const left = (this.#answering.get(socket) ?? 1) - 1;
    if (left > 0) {
      this.#answering.set(socket, left);
      return;
    }
    this.#answering.delete(socket);
    if (this.#draining) socket.destroySoon();
  }

  isAnswering(socket: Duplex): boolean {
    return this.#answering.has(socket);
  }

  /** The socket no longer speaks HTTP. */
  upgraded(socket: Duplex): void {
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    if (this.#draining) socket.destroy();
  }

  /** Closes what is idle or upgraded now, and the rest as soon as its answer is sent. */
  drain(): void {
    this.#draining = true;
    this.#server.closeIdleConnections();
    for (const socket of this.#upgraded) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
