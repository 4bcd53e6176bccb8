import type { Duplex } from 'node:stream';
import type { ForwardedConnection, PortForwarding } from '../command-streams.ts';
import type { Upgrade } from '../upgrade.ts';
import { acceptWebSocket } from './accept-web-socket.ts';
import type { ChannelSocket } from './channel-socket.ts';

const protocols = ['v4.channel.k8s.io', 'channel.k8s.io', 'base64.channel.k8s.io', 'v4.base64.channel.k8s.io'];

/**
 * Speaks WebSocket with a client that forwards ports: for each port that the request names a channel for data and one for errors, which first carry the
 * port's number. One connection a port, as the protocol has no more.
 */
export async function acceptWebSocketPortForward(upgrade: Upgrade, ports: readonly number[]): Promise<PortForwarding> {
  const { channels } = await acceptWebSocket(upgrade, protocols, 2 * ports.length);
  return new WebSocketPortForward(channels, ports);
}

class WebSocketPortForward implements PortForwarding {
  readonly closed: Promise<void>;
  readonly #channels: ChannelSocket;
  readonly #ports: readonly number[];
  #open: number;

  constructor(channels: ChannelSocket, ports: readonly number[]) {
    this.#channels = channels;
    this.#ports = ports;
    this.#open = ports.length;
    this.closed = channels.closed;
  }

  onConnection(listener: (connection: ForwardedConnection) => void): void {
    for (const [i, port] of this.#ports.entries()) {
      const [data, error] = [this.#channels.channel(2 * i), this.#channels.channel(2 * i + 1)];
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      data.write(number);
      error.write(number);
      for (const event of ['finish', 'close']) data.once(event, () => error.end());
      error.once('finish', () => this.#endOne());
      listener({ port, data, fail: (message) => fail(data, error, message) });
    }
  }

  ping(): void {
    this.#channels.ping();
  }

  close(): void {
    this.#channels.close(1001);
  }

  /** The protocol cannot say that one connection has ended; that all have is said by ending the whole, as in the reference. */
  #endOne(): void {
    this.#open--;
    if (this.#open === 0) this.#channels.close();
  }
}

function fail(data: Duplex, error: Duplex, message: string): void {
  error.end(message);
  data.end();
}
