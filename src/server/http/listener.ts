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
import { systemClock, type Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { Logger } from '../../base/logger.ts';
import { declaredLength, defaultMaxBodyBytes } from './body.ts';
import { Connections } from './connections.ts';
import { hasLongBody } from './long-body.ts';
import { answerMalformed } from './malformed.ts';
import { offersHttp2, withoutOffer } from './offered-http2.ts';
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
  readonly timeouts?: Partial<ListenerTimeouts>;
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

/** How long clients may take, in milliseconds. */
export interface ListenerTimeouts {
  /** For the headers of a request. */
  readonly headers: number;
  /** For a whole request, its body included unless that is passed on (`allowLongBody`). Answers take the time they take. */
  readonly request: number;
  /** How long a connection may lie idle. Longer than clients keep theirs (90 s in Go), so that none sends into a connection that just closes. */
  readonly idle: number;
  /** How often the first two are looked at. */
  readonly check: number;
  /** How long nothing may arrive before the machine looks whether the other one is still there. */
  readonly probe: number;
}

const defaultTimeouts: ListenerTimeouts = {
  headers: 20_000,
  request: 120_000,
  idle: 120_000,
  check: 5_000,
  probe: 60_000,
};

/** Opens the port; rejects when it cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const serverOptions: ServerOptions = {
    maxHeaderSize: 32 * 1024,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionsCheckingInterval: timeouts.check,
    noDelay: true,
    // A client that is gone without a word is noticed on connections that have no other bound in time, such as watches and commands.
    keepAlive: true,
    keepAliveInitialDelay: timeouts.probe,
  };
  const server = options.tls
    ? createHttpsServer({ ...serverOptions, ...tlsOptions(options.tls) })
    : createHttpServer(serverOptions);
  const listener = new OpenListener(server, options);
  await listener.start();
  return listener;
}

class OpenListener implements Listener {
  readonly #server: Server;
  readonly #options: ListenOptions;
  readonly #connections: Connections;
  #bound: AddressInfo | undefined;
  #closing: Promise<void> | undefined;

  constructor(server: Server, options: ListenOptions) {
    this.#server = server;
    this.#options = options;
    this.#connections = new Connections(server, options.clock);
    server.on('request', (request, response) => void this.#handle(request, response));
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // Without the go-ahead, a client whose body is refused need not send it.
      if (declaredLength(request) <= defaultMaxBodyBytes) response.writeContinue();
      void this.#handle(request, response);
    });
    server.on('upgrade', (request, socket, head) => void this.#change(request, socket as Socket, head));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && hasLongBody(socket)) return;
      this.#connections.failed(socket, () => answerMalformed(error, socket));
    });
    server.on('tlsClientError', (error: Error, socket: Socket) => {
      options.logger.debug('TLS handshake failed', { remote: socket.remoteAddress, error: error.message });
      socket.destroy();
    });
  }

  async start(): Promise<void> {
    const { port, address, logger } = this.#options;
    const { promise, resolve, reject } = deferred<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, address, () => resolve());
    await promise;
    this.#bound = this.#server.address() as AddressInfo;
    this.#server.off('error', reject);
    this.#server.on('error', (error) => logger.error('listener failed', { error }));
  }

  get port(): number {
    return this.#bound?.port ?? this.#options.port;
  }

  get address(): string {
    return this.#bound?.address ?? this.#options.address;
  }

  renewTls(tls: ListenerTls): void {
    if (this.#server instanceof HttpsServer) this.#server.setSecureContext(tlsOptions(tls));
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    const { clock = systemClock, closeGraceMs = 5_000 } = this.#options;
    const { promise, resolve } = deferred<void>();
    this.#server.close(() => resolve());
    this.#connections.drain();
    const timer = clock.after(closeGraceMs, () => this.#connections.destroyAll());
    await promise;
    await this.#connections.allClosed();
    timer.cancel();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#connections.began(request.socket, response);
    try {
      await this.#options.handler(request, response);
    } catch (error) {
      this.#options.logger.error('request handler failed', { method: request.method, url: request.url, error });
      response.destroy();
    }
  }

  /** The answers to what came before on the same connection go out first. */
  async #change(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { logger } = this.#options;
    const onError = (error: Error): void => logger.debug('upgraded connection failed', { url: request.url, error });
    socket.on('error', onError);
    await this.#connections.idle(socket);
    if (!offersHttp2(request)) return this.#upgrade(request, socket, head);
    socket.off('error', onError);
    if (socket.readableEnded) socket.destroy();
    if (!socket.destroyed) this.#takeAgain(request, socket, head);
  }

  /** Node leaves the whole connection, the body included, to whoever changes its protocol. Without the offer the request is one as any other. */
  #takeAgain(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.unshift(Buffer.concat([withoutOffer(request), head]));
    this.#server.emit(this.#server instanceof HttpsServer ? 'secureConnection' : 'connection', socket);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { logger, onUpgrade } = this.#options;
    this.#connections.upgraded(socket);
    try {
      await onUpgrade(request, socket, head);
    } catch (error) {
      logger.error('upgrade handler failed', { url: request.url, error });
      socket.destroy();
    }
  }
}
