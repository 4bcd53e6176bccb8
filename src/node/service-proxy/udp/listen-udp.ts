import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { every, type Clock, type Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Balancer } from '../balancer.ts';
import type { Portal } from '../portal.ts';
import type { PortalListener } from '../portal-listener.ts';
import { UdpSession } from './udp-session.ts';

export interface ListenUdpOptions {
  readonly portal: Portal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who answers; nobody when absent. */
  balancer(): Balancer | undefined;
}

/** How long a client and its endpoint stay together when neither says anything. */
const idleMs = 60_000;
const mostSessions = 1024;

/** Opens a UDP port and passes datagrams to endpoints, those of one client to one endpoint, and the answers back. Rejects with the system's error. */
export async function listenUdp(options: ListenUdpOptions): Promise<PortalListener> {
  const { address, port } = options.portal;
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.bind({ address: address === '' ? undefined : address, port });
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  return new UdpListener(socket, options);
}

interface OpenSession {
  readonly session: UdpSession;
  readonly usedAt: number;
}

class UdpListener implements PortalListener {
  readonly #socket: Socket;
  readonly #options: ListenUdpOptions;
  readonly #closed: Promise<void>;
  /** By the client's address and port; the one that was used last is the last. */
  readonly #sessions = new Map<string, OpenSession>();
  readonly #sweeping: Timer;

  constructor(socket: Socket, options: ListenUdpOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#closed = once(socket, 'close').then(() => {});
    this.#sweeping = every(options.clock, idleMs / 2, () => this.#sweep());
    socket.on('error', (error) => options.logger.warn('a service port lost a datagram', { error }));
    socket.on('message', (message, client) => this.#pass(message, client));
  }

  close(): Promise<void> {
    this.#sweeping.cancel();
    for (const key of this.#sessions.keys()) this.#end(key);
    this.#socket.close();
    return this.#closed;
  }

  #pass(message: Buffer, client: RemoteInfo): void {
    const key = `${client.address} ${client.port}`;
    const session = this.#sessionOf(key, client);
    if (!session) return;
    this.#use(key, session);
    session.send(message);
  }

  /** The one that the client has, unless its endpoint no longer answers for the service. */
  #sessionOf(key: string, client: RemoteInfo): UdpSession | undefined {
    const balancer = this.#options.balancer();
    const session = this.#sessions.get(key)?.session;
    if (session && balancer?.has(session.endpoint)) return session;
    this.#end(key);
    return balancer && this.#open(key, client, balancer);
  }

  #open(key: string, client: RemoteInfo, balancer: Balancer): UdpSession | undefined {
    const endpoint = balancer.choose(client.address);
    if (!endpoint) return undefined;
    const session = new UdpSession({
      endpoint,
      onAnswer: (message) => {
        this.#use(key, session);
        this.#socket.send(message, client.port, client.address, (error) => this.#logLost(error));
      },
      onBroken: (error) => {
        this.#logLost(error);
        this.#end(key);
        // What was sent is lost, but what comes next finds another endpoint when there is one.
        balancer.forget(client.address);
      },
    });
    return session;
  }

  #use(key: string, session: UdpSession): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, { session, usedAt: this.#options.clock.ticks() });
    if (this.#sessions.size <= mostSessions) return;
    for (const oldest of this.#sessions.keys()) return this.#end(oldest);
  }

  #sweep(): void {
    const now = this.#options.clock.ticks();
    for (const [key, { usedAt }] of this.#sessions) {
      if (now - usedAt < idleMs) return;
      this.#end(key);
    }
  }

  #end(key: string): void {
    this.#sessions.get(key)?.session.close();
    this.#sessions.delete(key);
  }

  #logLost(error: Error | null): void {
    if (error) this.#options.logger.debug('a datagram of a service is lost', { portal: this.#options.portal, error });
  }
}
