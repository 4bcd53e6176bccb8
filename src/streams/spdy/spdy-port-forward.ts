import { badRequest } from '../../kinds/meta/api-error.ts';
import type { ForwardedConnection, PortForwarding } from '../command-streams.ts';
import type { SessionStream } from '../session.ts';
import { acceptUpgrade, chooseProtocol, type Upgrade } from '../upgrade.ts';
import { SpdySession } from './spdy-session.ts';

const protocol = 'portforward.k8s.io';

/** Speaks SPDY with a client that forwards ports: for each connection a stream for errors and one for data, told apart by a request id. */
export function acceptSpdyPortForward({ request, socket, head }: Upgrade): PortForwarding {
  const offered = request.headers['x-stream-protocol-version'];
  if (!chooseProtocol(offered, [protocol]))
    throw badRequest(`port forwarding speaks ${protocol}, not ${String(offered)}`);
  acceptUpgrade(socket, { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocol });
  return new SpdyPortForward(new SpdySession(socket, 'server', head));
}

interface Halves {
  error?: SessionStream;
  data?: SessionStream;
}

class SpdyPortForward implements PortForwarding {
  readonly closed: Promise<void>;
  readonly #session: SpdySession;
  /** Connections of which only one stream is there yet. */
  readonly #opening = new Map<string, Halves>();
  #listener: (connection: ForwardedConnection) => void = (connection) => connection.fail('nobody takes connections');

  constructor(session: SpdySession) {
    this.#session = session;
    this.closed = session.closed;
    session.onStream((stream) => this.#take(stream));
  }

  onConnection(listener: (connection: ForwardedConnection) => void): void {
    this.#listener = listener;
  }

  ping(): void {
    this.#session.ping();
  }

  close(): void {
    this.#session.close();
  }

  #take(stream: SessionStream): void {
    const { streamtype: type, port: portText = '', requestid: id = '' } = stream.headers;
    const port = Number(portText);
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
    if ((type !== 'error' && type !== 'data') || !isPort) {
      stream.destroy();
      return;
    }
    const key = `${portText}/${id}`;
    const halves: Halves = this.#opening.get(key) ?? {};
    halves[type] = stream;
    this.#opening.set(key, halves);
    stream.once('close', () => this.#opening.delete(key));
    if (!halves.error || !halves.data) return;
    this.#opening.delete(key);
    this.#listener(connectionOf(port, halves.data, halves.error));
  }
}

function connectionOf(port: number, data: SessionStream, error: SessionStream): ForwardedConnection {
  // The client sends nothing here, and waits for its end before it lets the connection go.
  error.resume();
  data.once('finish', () => error.end());
  data.once('close', () => error.end());
  return {
    port,
    data,
    fail(message) {
      error.end(message);
      data.end();
    },
  };
}
