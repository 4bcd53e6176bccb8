import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { badRequest } from '../../kinds/meta/api-error.ts';
import type { EventView } from '../../registry/event-view.ts';
import type { Change } from '../../registry/watch.ts';
import type { Upgrade } from '../../streams/upgrade.ts';
import type { WatchSink } from './watch-sink.ts';

/** More than may wait of changes, so that those alone end no watch without a word. */
const mostUnread = 16 * 1024 * 1024;

/** A watch over a WebSocket: one text frame an event. What the client sends is read and means nothing. */
export class WatchSocket implements WatchSink {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    // A broken connection is told by 'close', too.
    webSocket.on('error', () => webSocket.terminate());
    // Pings are answered whether or not the answers are read.
    webSocket.on('ping', () => {
      if (webSocket.bufferedAmount > mostUnread) webSocket.terminate();
    });
  }

  get buffered(): number {
    return this.#webSocket.bufferedAmount;
  }

  changes(changes: readonly Change[], view: EventView): void {
    this.lines(changes.map(({ type, event }) => event.line(type, view)));
  }

  lines(lines: readonly Buffer[]): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    this.#socket.cork();
    for (const line of lines) this.#webSocket.send(line.subarray(0, -1), { binary: false });
    this.#socket.uncork();
  }

  onceDrained(callback: () => void): void {
    this.#socket.once('drain', callback);
  }

  onceClosed(callback: () => void): void {
    if (this.#webSocket.readyState === WebSocket.CLOSED) callback();
    else this.#webSocket.once('close', callback);
  }

  end(): void {
    this.#webSocket.close(1000);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }
}

const acceptor = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: 64 * 1024 } as const;

/** Completes the handshake; refuses with 400 when the client's half of it is wrong. Undefined when the client is gone. */
export function acceptWatchSocket({ request, socket, head }: Upgrade, requestId: string): WatchSocket | undefined {
  let accepted: WebSocket | undefined;
  let mistake: Error | undefined;
  const server = new WebSocketServer(acceptor);
  server.on('headers', (headers) => headers.push(`Audit-Id: ${requestId}`, `X-Request-Id: ${requestId}`));
  server.on('wsClientError', (error) => (mistake = error));
  server.handleUpgrade(request, socket, head, (webSocket) => {
    accepted = webSocket;
  });
  if (mistake) throw badRequest(`the connection cannot become a WebSocket: ${mistake.message}`, { cause: mistake });
  return accepted && new WatchSocket(accepted, socket);
}
