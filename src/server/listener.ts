import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import type { Logger } from '../base/logger.ts';
import { declaredLength, defaultMaxBodyBytes } from './body.ts';
import { Connections } from './connections.ts';
import { answerMalformed } from './malformed.ts';
import { tlsOptions, type ListenerTls } from './tls-options.ts';

export interface ListenOptions {
  /** Answers a request. What it throws is logged, and the connection is cut. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Takes over the socket of a request that asks for another protocol. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>;
  readonly logger: Logger;
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Plain HTTP when absent. */
  readonly tls?: ListenerTls;
  readonly clock?: Clock;
  /** How long `close` waits for requests under way. */
  readonly closeGraceMs?: number;
}

/** An open port. */
export interface Listener {
  readonly port: number;
  readonly address: string;
  /** New connections are shown other certificates from now on; those that are open stay. */
  renewTls(tls: ListenerTls): void;
  /**
   * Takes no more connections, lets requests under way finish for a bounded time, then cuts what is left; upgraded connections at once.
   * Streams that never finish, such as watches, are to be ended by their owner before.
   */
  close(): Promise<void>;
}

const serverOptions: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  // Longer than clients keep idle connections (90 s in Go), so that a request never meets a connection that is just being closed.
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
};

/** Opens the port; rejects when it cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { handler, onUpgrade, logger, clock = systemClock, closeGraceMs = 5_000 } = options;
  const server = options.tls
    ? createHttpsServer({ ...serverOptions, ...tlsOptions(options.tls) })
    : createHttpServer(serverOptions);
  const connections = new Connections(server);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    connections.began(request.socket, response);
    try {
      await handler(request, response);
    } catch (error) {
      logger.error('request handler failed', { method: request.method, url: request.url, error });
      response.destroy();
    }
  }
  server.on('request', (request, response) => void handle(request, response));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Without the go-ahead, a client whose body is refused need not send it.
    if (declaredLength(request) <= defaultMaxBodyBytes) response.writeContinue();
    void handle(request, response);
  });
  server.on('upgrade', (request, socket, head) => void upgrade(request, socket, head));
  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    connections.upgraded(socket);
    socket.on('error', (error) => logger.debug('upgraded connection failed', { url: request.url, error }));
    try {
      await onUpgrade(request, socket, head);
    } catch (error) {
      logger.error('upgrade handler failed', { url: request.url, error });
      socket.destroy();
    }
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    answerMalformed(error, socket, { answering: connections.isAnswering(socket) });
  });
  server.on('tlsClientError', (error: Error, socket: Socket) => {
    logger.debug('TLS handshake failed', { remote: socket.remoteAddress, error: error.message });
    socket.destroy();
  });

  await start(server, options.port, options.address);
  server.on('error', (error) => logger.error('listener failed', { error }));
  const { port, address } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    port,
    address,
    renewTls(tls) {
      if (server instanceof HttpsServer) server.setSecureContext(tlsOptions(tls));
    },
    close: () => (closing ??= closeServer(server, connections, clock, closeGraceMs)),
  };
}

async function start(server: Server, port: number, address: string): Promise<void> {
  const { promise, resolve, reject } = deferred<void>();
  server.once('error', reject);
  server.listen(port, address, () => resolve());
  await promise;
  server.off('error', reject);
}

async function closeServer(server: Server, connections: Connections, clock: Clock, graceMs: number): Promise<void> {
  const { promise, resolve } = deferred<void>();
  server.close(() => resolve());
  connections.drain();
  const timer = clock.after(graceMs, () => connections.destroyAll());
  await promise;
  timer.cancel();
}
