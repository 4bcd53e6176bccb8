import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock, Timer } from '../base/clock.ts';
import { ApiError, fromStatus, timedOut, tooLarge, unreachable } from '../kinds/meta/api-error.ts';
import type { Status } from '../kinds/meta/status.ts';
import type { HttpOrigin } from './http-access.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, encoded. */
  readonly target: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

export interface ExchangeLimits {
  readonly clock: Clock;
  /** How long the server may be silent: until its answer begins, and in the middle of it. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/**
 * Sends a request; resolves as soon as the answer begins. The answer's body must be read or destroyed. A server may end a connection that was kept
 * in the very moment in which it is used again: what changes nothing is then sent once more.
 */
export function sendRequest(origin: HttpOrigin, sent: HttpRequest, limits: ExchangeLimits): Promise<IncomingMessage> {
  const payload = sent.body === undefined ? undefined : Buffer.from(JSON.stringify(sent.body));
  return new Promise((resolve, reject) => {
    const { signal } = sent;
    if (signal?.aborted) return reject(signal.reason);
    const request = openRequest(origin, sent, payload);
    const timer = limits.clock.after(limits.timeoutMs, () => {
      request.destroy(timedOut(`the server did not answer within ${limits.timeoutMs / 1000} seconds`));
    });
    const onAbort = (): void => void request.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', onAbort));
    request.once('response', (response) => {
      timer.cancel();
      resolve(response);
    });
    request.on('error', (error) => {
      timer.cancel();
      if (signal?.aborted) reject(signal.reason);
      else if (sent.method === 'GET' && isLeftover(request, error)) resolve(sendRequest(origin, sent, limits));
      else reject(asApiError(error, origin));
    });
    request.end(payload);
  });
}

function openRequest(origin: HttpOrigin, sent: HttpRequest, payload: Buffer | undefined): ClientRequest {
  const headers: OutgoingHttpHeaders = { Accept: 'application/json', 'User-Agent': 'wherry' };
  if (origin.authorization !== undefined) headers['Authorization'] = origin.authorization;
  if (payload) {
    headers['Content-Type'] = sent.contentType ?? 'application/json';
    headers['Content-Length'] = payload.length;
  }
  const options = {
    ...origin.host,
    method: sent.method,
    path: origin.basePath + sent.target,
    headers,
    agent: origin.agent,
  };
  return origin.isSecure ? httpsRequest(options) : httpRequest(options);
}

/** The connection was of an earlier request, and had ended before this one got anywhere. */
function isLeftover(request: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && error.code === 'ECONNRESET';
}

function asApiError(error: Error, { host }: HttpOrigin): ApiError {
  if (error instanceof ApiError) return error;
  const message = `the server at ${host.hostname}:${host.port} cannot be reached: ${messageOf(error)}`;
  return unreachable(message, { cause: error });
}

/** Where a name has several addresses, the error is made of one for each and says nothing itself. */
function messageOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
}

/** The whole answer as parsed JSON; throws the refusal where it is one. */
export async function readAnswer(
  response: IncomingMessage,
  limits: ExchangeLimits,
  signal?: AbortSignal,
): Promise<unknown> {
  const text = (await collect(response, limits, signal)).toString('utf8');
  const code = response.statusCode ?? 0;
  const body = parseJson(text);
  if (code < 200 || code >= 300) throw refusalOf(response, body, text);
  if (body === undefined) throw unreachable('the server answered with something other than JSON');
  return body;
}

function collect(response: IncomingMessage, limits: ExchangeLimits, signal?: AbortSignal): Promise<Buffer> {
  const { clock, timeoutMs, maxAnswerBytes } = limits;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const expectMore = (): Timer =>
      clock.after(timeoutMs, () =>
        response.destroy(timedOut(`the server stopped in the middle of its answer for ${timeoutMs / 1000} seconds`)),
      );
    let timer = expectMore();
    response.on('data', (chunk: Buffer) => {
      timer.cancel();
      timer = expectMore();
      size += chunk.length;
      if (size <= maxAnswerBytes) chunks.push(chunk);
      else response.destroy(tooLarge(`the answer has more than the ${maxAnswerBytes} bytes that are read`));
    });
    response.once('end', () => resolve(Buffer.concat(chunks, size)));
    response.once('error', (error) => {
      if (signal?.aborted) reject(signal.reason);
      else if (error instanceof ApiError) reject(error);
      else reject(unreachable('the connection ended in the middle of the answer', { cause: error }));
    });
    response.once('close', () => timer.cancel());
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refusalOf(response: IncomingMessage, body: unknown, text: string): ApiError {
  const code = response.statusCode ?? 0;
  const seconds = retryAfter(response);
  if (isStatus(body)) {
    const details = seconds === undefined ? body.details : { retryAfterSeconds: seconds, ...body.details };
    return fromStatus({ ...body, code, details });
  }
  const message = text.slice(0, 200).trim() || `the server answered with code ${code} and nothing else`;
  const details = seconds === undefined ? undefined : { retryAfterSeconds: seconds };
  return fromStatus({ code, reason: 'Unknown', message, details });
}

/** When the server wants to be asked again, where it says so in seconds. */
function retryAfter({ headers }: IncomingMessage): number | undefined {
  const value = headers['retry-after'] ?? '';
  return /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}
