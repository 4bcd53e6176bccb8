import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { badRequest, internalError } from '../../kinds/meta/api-error.ts';
import type { Exchange } from '../exchange.ts';
import { declaredLength, defaultMaxBodyBytes } from '../http/body.ts';
import { allowLongBody } from '../http/long-body.ts';
import { waitingClientSignal } from './client-signal.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';
import { rewriteLink, type LinkRewriting } from './link-rewriting.ts';
import { authorityOf, type Destination } from './open-socket.ts';
import { changeBody } from './proxied-body.ts';
import { proxiedPath } from './proxied-path.ts';
import { sendRequest, type Reply } from './send-request.ts';
import { switchProtocols } from './switch-protocols.ts';

/** Sends the request on and the answer back, or lets the two sides speak another protocol. What cannot be reached is answered with 503. */
export async function forward(exchange: Exchange, destination: Destination): Promise<void> {
  const { upgrade } = exchange;
  const { sent, prefix } = proxiedPath(exchange);
  if (isBareOldPath(exchange)) return redirect(exchange, `${prefix}/${sent.slice(1)}`);
  const { message, switched } = await ask(exchange, destination, sent, prefix);
  if (switched) {
    if (upgrade) return switchProtocols(exchange, upgrade, { message, switched });
    switched.socket.destroy();
    throw internalError(`${authorityOf(destination)} changes to a protocol that nobody asked for`);
  }
  upgrade?.decline();
  await answer(exchange, message, {
    prefix,
    authority: authorityOf(destination),
    scheme: destination.tls ? 'https' : 'http',
  });
}

/** Relative links of a page whose path has no slash at its end would lead out of what is proxied to. */
function isBareOldPath({ target, request, upgrade }: Exchange): boolean {
  return Boolean(target.isOldProxy) && target.rest === '' && !upgrade && ['GET', 'HEAD'].includes(request.method ?? '');
}

function redirect({ response, requestId }: Exchange, location: string): void {
  const id = { 'Audit-Id': requestId, 'X-Request-Id': requestId };
  response.writeHead(301, { Location: location, 'Content-Length': 0, ...id }).end();
}

async function ask(exchange: Exchange, destination: Destination, path: string, prefix: string): Promise<Reply> {
  const { request, response, upgrade, context } = exchange;
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const hasBody = isChunked || declaredLength(request) > 0;
  if (upgrade && hasBody) throw badRequest('a request that asks for another protocol cannot have a body');
  // Others have had the go-ahead already; here the one to refuse a body is the one who gets it.
  if (request.headers.expect && declaredLength(request) > defaultMaxBodyBytes) response.writeContinue();
  const headers: OutgoingHttpHeaders = {
    ...requestHeaders(request),
    'x-forwarded-uri': `${prefix}${path.replace(/\?.*$/s, '')}`,
    ...(request.headers.host !== undefined && { 'x-forwarded-host': request.headers.host }),
    'x-forwarded-proto': request.socket instanceof TLSSocket ? 'https' : 'http',
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
    ...(upgrade && { connection: 'Upgrade', upgrade: request.headers.upgrade }),
  };
  if (hasBody) allowLongBody({ request, response, clock: context.clock });
  const sent = { method: request.method ?? 'GET', path, headers, body: hasBody ? request : undefined };
  return sendRequest(destination, sent, { clock: context.clock, signal: waitingClientSignal(exchange) });
}

async function answer(exchange: Exchange, message: IncomingMessage, rewriting: LinkRewriting): Promise<void> {
  const { request, response, requestId, context } = exchange;
  const rewrite = (link: string): string => rewriteLink(link, rewriting);
  const { stages, headers } = changeBody(message, answerHeaders(message), rewrite);
  const { location } = message.headers;
  response.writeHead(message.statusCode ?? 502, message.statusMessage, {
    // What somebody else says is not to be guessed at.
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(location !== undefined && { location: rewrite(location) }),
    'audit-id': requestId,
    'x-request-id': requestId,
  });
  // A stream may have nothing to say for a long time.
  response.flushHeaders();
  try {
    await pipeline([message, ...stages, response]);
  } catch (error) {
    // Half an answer cannot be taken back; cutting the connection tells the client that it is not whole.
    context.logger.debug('proxied answer broke off', { url: request.url, error });
    response.destroy();
  }
}
