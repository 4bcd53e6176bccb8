import type { Logger } from '../../base/logger.ts';
import { ApiError, internalError } from '../../kinds/meta/api-error.ts';
import { PiecedBytes } from '../../registry/pieced-bytes.ts';
import { plainJson, type AnswerFormat } from './negotiate.ts';
import { sendBytes, wholeOf, type AnswerHeaders, type HttpExchange } from './send-bytes.ts';
import { formatYaml } from './yaml.ts';

export interface JsonAnswer {
  readonly code: number;
  /** JSON that is ready to be sent (a buffer, or bytes in pieces), or a value to be written as JSON. */
  readonly body: Buffer | PiecedBytes | object;
  readonly format: AnswerFormat;
  readonly headers?: AnswerHeaders;
}

/** Sends an object. Ready bytes go out untouched as plain JSON. Gives a promise of the end as `sendBytes` does. */
export function sendJson(exchange: HttpExchange, answer: JsonAnswer): Promise<void> | undefined {
  const { code, body, format, headers } = answer;
  if (format.media !== 'json' || format.pretty || !isReady(body)) return writeAndSend(exchange, answer);
  return sendBytes(exchange, { code, body, contentType: 'application/json', headers });
}

async function writeAndSend(exchange: HttpExchange, { code, body, format, headers }: JsonAnswer): Promise<void> {
  const bytes = Buffer.from(await write(body, format));
  const contentType = format.media === 'yaml' ? 'application/yaml' : 'application/json';
  await sendBytes(exchange, { code, body: bytes, contentType, headers });
}

function isReady(body: object): body is Buffer | PiecedBytes {
  return Buffer.isBuffer(body) || body instanceof PiecedBytes;
}

async function write(body: object, format: AnswerFormat): Promise<string> {
  if (format.media === 'json' && !format.pretty) return JSON.stringify(body);
  const value: unknown = isReady(body) ? JSON.parse(wholeOf(body).toString('utf8')) : body;
  return format.media === 'yaml' ? formatYaml(value) : `${JSON.stringify(value, undefined, 2)}\n`;
}

export interface TextAnswer {
  readonly code: number;
  readonly text: string;
  readonly headers?: AnswerHeaders;
}

/** Sends plain text, such as `ok`. */
export async function sendText(exchange: HttpExchange, answer: TextAnswer): Promise<void> {
  const { code, text, headers } = answer;
  await sendBytes(exchange, { code, body: Buffer.from(text), contentType: 'text/plain; charset=utf-8', headers });
}

export interface ErrorAnswer {
  readonly format?: AnswerFormat;
  readonly logger: Logger;
  readonly requestId: string;
}

/**
 * Sends the Status of an ApiError. Anything else is a bug: the client learns the request's id, the log all there is to know. An answer that
 * has begun cannot be taken back, so its connection is cut. Never throws.
 */
export async function sendError(exchange: HttpExchange, error: unknown, answer: ErrorAnswer): Promise<void> {
  const { request, response } = exchange;
  const { logger, requestId, format = plainJson } = answer;
  const { code, status } = asRefusal(error, requestId);
  if (!(error instanceof ApiError) || code === 500) {
    logger.error('request failed', { requestId, method: request.method, url: request.url, code, error });
  }
  if (response.headersSent) {
    if (!response.writableFinished) response.destroy();
    return;
  }
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = retryAfter === undefined ? undefined : { 'Retry-After': String(retryAfter) };
  try {
    await sendJson(exchange, { code, body: status, format, headers });
  } catch (failure) {
    logger.error('error could not be sent', { requestId, error: failure });
    response.destroy();
  }
}

function asRefusal(error: unknown, requestId: string): ApiError {
  return error instanceof ApiError
    ? error
    : internalError(`something went wrong on the server; its log says more about request ${requestId}`);
}

const longestWarning = 1024;
const mostWarningBytes = 4096;

/**
 * The header that carries warnings, to be spread into an answer's headers; nothing when there are none. Clients and proxies refuse answers
 * with very long headers, so long warnings are cut, and those that find no room are only counted.
 */
export function warningHeaders(warnings: readonly string[]): Record<string, string[]> {
  const values: string[] = [];
  let room = mostWarningBytes;
  for (const [index, warning] of warnings.entries()) {
    const value = warningValue(warning);
    room -= value.length;
    if (room < 0) {
      values.push(warningValue(`${warnings.length - index} more warnings are not shown`));
      break;
    }
    values.push(value);
  }
  return values.length > 0 ? { Warning: values } : {};
}

function warningValue(warning: string): string {
  // Node writes headers as Latin-1; seen that way, the text's UTF-8 bytes pass unchanged.
  const text = warning
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, longestWarning)
    .toWellFormed();
  const quoted = text.replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}
