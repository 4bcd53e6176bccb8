import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ApiError, pathForbidden } from '../../kinds/meta/api-error.ts';
import type { Usage } from '../runtime.ts';
import type { HostedPods } from './hosted-pods.ts';
import { NodeRequests, apiErrorOf } from './node-requests.ts';
import { UsageSummaries } from './usage-summary.ts';

/** Keys and certificates as PEM. */
export interface NodeServerTls {
  readonly key: string;
  readonly cert: string;
  /** Who signs the certificates that clients must show. */
  readonly ca: string;
  /** Common names of the clients that may connect: those of API servers. The authority signs certificates of others, too. */
  readonly clientNames: readonly string[];
}

export interface NodeServerOptions {
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: NodeServerTls;
  /** What the machine uses; the one that this process runs on when absent. */
  readonly readMachine?: () => Usage;
}

export interface OpenNodeServerOptions extends NodeServerOptions {
  readonly pods: HostedPods;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodeName: string;
}

/**
 * The node's own endpoint, for API servers only: logs, commands, ports and usage of its pods. Every client shows a certificate, and nobody gets further than
 * the handshake without one.
 */
export interface NodeServer {
  readonly port: number;
  /** New connections are shown this from now on, and shown to; those that are open stay. */
  renewTls(tls: NodeServerTls): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

export async function openNodeServer(options: OpenNodeServerOptions): Promise<NodeServer> {
  const { tls, address, port } = options;
  const server = createServer({
    ...contextOptions(tls),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  const connections = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const usage = new UsageSummaries(options);
  serve(server, options, usage);
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    usage.close();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    renewTls: (renewed) => server.setSecureContext(contextOptions(renewed)),
    async close() {
      usage.close();
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** What can be replaced while a server is open. */
function contextOptions({ key, cert, ca }: NodeServerTls): TlsOptions {
  // Sessions of clients that show certificates are taken up again only within their context.
  return { key, cert, ca, minVersion: 'TLSv1.2', sessionIdContext: 'wherry-node' };
}

function serve(server: Server, { tls, pods, clock, logger }: OpenNodeServerOptions, usage: UsageSummaries): void {
  const requests = new NodeRequests({ pods, clock, usage });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const answered = checkClient(request, tls) ?? requests.answer(request, response);
    answered.catch((error: unknown) => {
      logFailure(logger, request, error);
      refuse(response, error);
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Whoever takes the connection over listens for itself; until then nobody does.
    socket.on('error', () => socket.destroy());
    const streamed = checkClient(request, tls) ?? requests.stream({ request, socket, head });
    streamed.catch((error: unknown) => {
      logFailure(logger, request, error);
      refuseUpgrade(socket, error);
    });
  });
  server.on('clientError', (_error: Error, socket: Duplex) => socket.destroy());
}

/** Rejects for those that are no API servers; nothing for the others. */
function checkClient(request: IncomingMessage, { clientNames }: NodeServerTls): Promise<never> | undefined {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  const name: unknown = subject?.CN;
  if (typeof name === 'string' && clientNames.includes(name)) return undefined;
  return Promise.reject(pathForbidden(request.url ?? '/', `${JSON.stringify(name ?? '')} is no API server`));
}

function logFailure(logger: Logger, request: IncomingMessage, error: unknown): void {
  if (apiErrorOf(error).code >= 500) logger.error('a request to the node failed', { url: request.url, error });
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code, status } = apiErrorOf(error);
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
}

function refuseUpgrade(socket: Duplex, error: unknown): void {
  // Refusals come before the protocol has changed; whatever else goes wrong may come after.
  if (socket.destroyed || socket.writableEnded || !(error instanceof ApiError)) {
    socket.destroy();
    return;
  }
  const { code, status } = error;
  const body = JSON.stringify(status);
  const head = `HTTP/1.1 ${code} Refused\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy());
}
