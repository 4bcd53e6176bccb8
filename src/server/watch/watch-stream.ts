import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { EventView } from '../../registry/event-view.ts';
import type { Change } from '../../registry/watch.ts';
import { standardHeaders } from '../http/send-bytes.ts';
import { frame, type WatchRound } from './watch-round.ts';
import type { WatchSink } from './watch-sink.ts';

/**
 * A watch as an HTTP answer that does not end: one line of JSON an event. The chunks that watchers share are written to the connection as they
 * are, which takes half the time of having each answer frame its own.
 */
export class WatchStream implements WatchSink {
  readonly #response: ServerResponse;

  /** Sends the headers at once: a client with nothing to hear must know that it is heard. */
  constructor(response: ServerResponse, requestId: string) {
    this.#response = response;
    response.writeHead(200, { 'Content-Type': 'application/json', ...standardHeaders(requestId) });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
  }

  get buffered(): number {
    return this.#response.writableLength;
  }

  changes(changes: readonly Change[], view: EventView, round: WatchRound): void {
    const socket = this.#framedSocket();
    if (socket) socket.write(round.chunk(changes, view));
    else this.lines(changes.map(({ type, event }) => event.line(type, view)));
  }

  lines(lines: readonly Buffer[]): void {
    const socket = this.#framedSocket();
    if (socket) socket.write(frame(lines));
    else if (this.#isOpen()) this.#response.write(Buffer.concat(lines));
  }

  onceDrained(callback: () => void): void {
    (this.#response.socket ?? this.#response).once('drain', callback);
  }

  onceClosed(callback: () => void): void {
    if (this.#response.closed || this.#response.destroyed) callback();
    else this.#response.once('close', callback);
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  #isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** The connection, when it takes chunks: not for HTTP/1.0, and not while an earlier answer is still on its way. */
  #framedSocket(): Socket | undefined {
    const { socket, chunkedEncoding } = this.#response;
    return socket && chunkedEncoding && this.#isOpen() ? socket : undefined;
  }
}
