import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { deferred } from '../../base/deferred.ts';
import { serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { Exchange } from '../exchange.ts';

export interface ProxyDestination {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** How long what is reached may take to begin its answer. */
const answerMs = 30_000;

/** Headers that belong to one connection, and what the client proves itself with to this server only. */
const notForwarded = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'authorization',
  'host',
]);

/** What the answer says, with this server's id for the request; its type is not to be guessed at. */
function answerHeaders(answer: IncomingMessage, requestId: string): OutgoingHttpHeaders {
  const id = { 'audit-id': requestId, 'x-request-id': requestId };
  return { 'x-content-type-options': 'nosniff', ...forwardedHeaders(answer), ...id };
}

/** Sends the request on and the answer back. What cannot be reached is answered with 503. */
export async function forward(exchange: Exchange, destination: ProxyDestination): Promise<void> {
  const { request, response } = exchange;
  const answer = await ask(exchange, destination);
  if (response.destroyed) return void answer.destroy();
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answerHeaders(answer, exchange.requestId));
  try {
    await pipeline(answer, response);
  } catch (error) {
    // Half an answer cannot be taken back; cutting the connection tells the client that it is not whole.
    exchange.context.logger.debug('proxied answer broke off', { url: request.url, error });
    response.destroy();
  }
}

async function ask(exchange: Exchange, destination: ProxyDestination): Promise<IncomingMessage> {
  const { request, response, context } = exchange;
  const { scheme, host, port } = destination;
  const send = scheme === 'https' ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = deferred<IncomingMessage>();
  const headers = {
    ...forwardedHeaders(request),
    'X-Forwarded-Uri': request.url,
    'X-Forwarded-Host': request.headers.host,
  };
  const outgoing = send({ host, port, method: request.method, path: pathOf(exchange), headers, agent: false }, resolve);
  const fail = (cause: unknown): void =>
    reject(serviceUnavailable(`${host}:${port} cannot be reached: ${(cause as Error).message}`));
  outgoing.on('error', fail);
  const timer = context.clock.after(answerMs, () => outgoing.destroy(new Error('it does not answer')));
  response.once('close', () => outgoing.destroy());
  request.pipe(outgoing);
  try {
    return await promise;
  } finally {
    timer.cancel();
  }
}

function forwardedHeaders(message: IncomingMessage): OutgoingHttpHeaders {
  const isForwarded = (name: string): boolean => !notForwarded.has(name) && !name.startsWith('impersonate-');
  return Object.fromEntries(Object.entries(message.headers).filter(([name]) => isForwarded(name)));
}

/** The path behind `/proxy`, or the one that the query names; the rest of the query goes along. */
function pathOf({ target, query }: Exchange): string {
  const rest = new URLSearchParams(query);
  let path = target.rest;
  if (path === '') {
    path = query.get('path') ?? '';
    rest.delete('path');
  }
  const text = rest.toString();
  return `${path.startsWith('/') ? '' : '/'}${path}${text && `${path.includes('?') ? '&' : '?'}${text}`}`;
}
