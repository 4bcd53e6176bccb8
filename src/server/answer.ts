import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { Logger } from '../base/logger.ts';
import { ApiError, internalError } from '../kinds/meta/api-error.ts';
import { plainJson, type AnswerFormat } from './negotiate.ts';
import { formatYaml } from './yaml.ts';

const gzip = promisify(gzipWithCallback);

/** A request and the response that answers it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface JsonAnswer {
  readonly code: number;
  /** JSON that is ready to be sent, or a value to be written as JSON. */
  readonly body: Buffer | object;
  readonly format: AnswerFormat;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface TextAnswer {
  readonly code: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** A client that takes nothing for this long while an answer is being sent is cut off. */
export const defaultStallMs = 30_000;

/** Below this, compressing costs more than it saves. */
const minGzipBytes = 128 * 1024;

/** Sends an object. Ready bytes go out untouched as plain JSON. Resolves once the answer has left, or the client has. */
export async function sendJson(exchange: Exchange, answer: JsonAnswer): Promise<void> {
  const { format } = answer;
  const body = await formatBody(answer.body, format);
  const headers: OutgoingHttpHeaders = {
    'Content-Type': format.media === 'yaml' ? 'application/yaml' : 'application/json',
  };
  await send(exchange, { code: answer.code, body, headers: { ...headers, ...answer.headers } });
}

/** Sends plain text, such as `ok`. */
export async function sendText(exchange: Exchange, answer: TextAnswer): Promise<void> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', ...answer.headers };
  await send(exchange, { code: answer.code, body: Buffer.from(answer.text), headers });
}

export interface ErrorAnswer {
  readonly format?: AnswerFormat;
  readonly logger: Logger;
  readonly requestId: string;
}

/** Sends the Status of an ApiError. Anything else is a bug: the client learns the request's id, the log all there is to know. */
export async function sendError(exchange: Exchange, error: unknown, answer: ErrorAnswer): Promise<void> {
  const { request, response } = exchange;
  const refusal =
    error instanceof ApiError
      ? error
      : internalError(`the server failed to handle the request (request id ${answer.requestId})`);
  if (refusal !== error) {
    answer.logger.error('request failed', {
      requestId: answer.requestId,
      method: request.method,
      url: request.url,
      error,
    });
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfter = refusal.status.details?.retryAfterSeconds;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  await sendJson(exchange, { code: refusal.code, body: refusal.status, format: answer.format ?? plainJson, headers });
}

async function formatBody(body: Buffer | object, format: AnswerFormat): Promise<Buffer> {
  if (format.media === 'json' && !format.pretty)
    return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const value: unknown = Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : body;
  return Buffer.from(format.media === 'yaml' ? await formatYaml(value) : `${JSON.stringify(value, undefined, 2)}\n`);
}

async function send(
  exchange: Exchange,
  answer: { code: number; body: Buffer; headers: OutgoingHttpHeaders },
): Promise<void> {
  const { request, response } = exchange;
  if (response.destroyed) return;
  const packed = wantsGzip(request) && answer.body.length > minGzipBytes;
  const body = packed ? await gzip(answer.body, { level: 1 }) : answer.body;
  if (packed) Object.assign(answer.headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
  response.writeHead(answer.code, {
    ...answer.headers,
    'Content-Length': body.length,
    'Cache-Control': 'no-cache, private',
    'X-Content-Type-Options': 'nosniff',
  });
  if (request.method === 'HEAD') response.end();
  else response.end(body);
}

function wantsGzip(request: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}

/** The headers that carry warnings, to be spread into an answer's headers. */
export function warningHeaders(warnings: readonly string[]): Record<string, string[]> {
  if (warnings.length === 0) return {};
  return { Warning: warnings.map((warning) => `299 - ${JSON.stringify(warning)}`) };
}
