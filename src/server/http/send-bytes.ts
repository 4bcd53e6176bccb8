import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { PiecedBytes } from '../../registry/pieced-bytes.ts';

/** A request and the response that answers it. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Every answer tells it, so that it can be found again in the log. */
  readonly requestId?: string;
}

export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

export interface BytesAnswer {
  readonly code: number;
  readonly body: Buffer | PiecedBytes;
  readonly contentType: string;
  readonly headers?: AnswerHeaders;
  /** A client that takes nothing for this long while the rest of its answer waits is cut off. */
  readonly stallMs?: number;
}

const gzip = promisify(gzipWithCallback);

/** Below this, packing costs more than it saves. */
const minPackedBytes = 128 * 1024;

/** What is written at once. Bodies beyond it go out piece by piece, so that no second copy of all of it waits in the socket. */
const pieceBytes = 64 * 1024;

/** Longer bodies cost more to join than that saves. */
const longestJoined = 16 * 1024;

const defaultStallMs = 30_000;

/** What every answer says: no answer is to be kept by a proxy, or taken for something else than it says it is. */
export function standardHeaders(requestId: string | undefined): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'Cache-Control': 'no-cache, private', 'X-Content-Type-Options': 'nosniff' };
  if (requestId !== undefined) {
    headers['Audit-Id'] = requestId;
    headers['X-Request-Id'] = requestId;
  }
  return headers;
}

/**
 * Sends a whole body, packed when it is large and the client likes that. Gives a promise of the moment when it is sent or the client is gone, unless it is
 * short: that lies with the connection at once, and waiting for nothing would be a good part of the way.
 */
export function sendBytes(exchange: HttpExchange, answer: BytesAnswer): Promise<void> | undefined {
  const { request, response } = exchange;
  if (response.destroyed || response.writableEnded) return undefined;
  if (answer.body.length > pieceBytes) return sendLong(exchange, answer);
  writeHead(exchange, answer, answer.body.length);
  if (request.method === 'HEAD') response.end();
  else endWith(response, wholeOf(answer.body));
  return undefined;
}

/** A text in Latin-1 has a character for each byte. Unlike bytes, Node joins it with the headers, so that all is encrypted and sent as one. */
function endWith(response: ServerResponse, body: Buffer): void {
  if (body.length > longestJoined) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}

async function sendLong(exchange: HttpExchange, answer: BytesAnswer): Promise<void> {
  const { request, response } = exchange;
  const packs = answer.body.length > minPackedBytes && acceptsGzip(request.headers['accept-encoding']);
  const body = packs ? await gzip(wholeOf(answer.body), { level: 1 }) : answer.body;
  if (response.destroyed) return;
  writeHead(exchange, packs ? { ...answer, headers: { ...packedHeaders, ...answer.headers } } : answer, body.length);
  if (request.method !== 'HEAD') await writePieces(response, body, answer.stallMs ?? defaultStallMs);
  response.end();
}

const packedHeaders = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };

function writeHead({ response, requestId }: HttpExchange, answer: BytesAnswer, length: number): void {
  const headers = standardHeaders(requestId);
  headers['Content-Type'] = answer.contentType;
  headers['Content-Length'] = length;
  response.writeHead(answer.code, answer.headers ? Object.assign(headers, answer.headers) : headers);
}

async function writePieces(response: ServerResponse, body: Buffer | PiecedBytes, stallMs: number): Promise<void> {
  cutOffWhenStalled(response, stallMs);
  for (const piece of piecesOf(body)) {
    if (response.destroyed) return;
    await taken(response, piece);
  }
}

/** Bytes to be sent as a whole, be they one buffer or made piece by piece. */
export function wholeOf(body: Buffer | PiecedBytes): Buffer {
  return Buffer.isBuffer(body) ? body : body.whole();
}

function piecesOf(body: Buffer | PiecedBytes): Iterable<Buffer> {
  return Buffer.isBuffer(body) ? cut(body) : body.pieces();
}

function* cut(body: Buffer): Iterable<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

/** Node destroys a connection on which nothing moves for that long. What comes after this answer on the connection has its own time. */
function cutOffWhenStalled(response: ServerResponse, stallMs: number): void {
  response.setTimeout(stallMs);
  response.prependOnceListener('finish', () => response.setTimeout(0));
}

/** Writes a piece; resolves when the connection has taken it, so that its memory can be used again, or is gone. */
function taken(response: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      response.off('close', done);
      resolve();
    }
    response.on('close', done);
    response.write(piece, done);
  });
}

/** Whether an Accept-Encoding header names gzip and does not rule it out with `q=0`. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  return String(header)
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding));
}
