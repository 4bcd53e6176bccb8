import type { IncomingMessage } from 'node:http';
import { gunzip } from 'node:zlib';
import { isUtf8 } from 'node:buffer';
import { badRequest, tooLarge, unsupportedMediaType } from '../../kinds/meta/api-error.ts';
import type { BodyType } from '../../registry/decode-body.ts';
import { parseJson } from './json.ts';
import { hasEnvelope } from './protobuf-envelope.ts';
import { parseProtobuf, protobufMedia } from './protobuf.ts';
import { parseYaml } from './yaml.ts';

/** The largest object that a request may carry. */
export const defaultMaxBodyBytes = 3 * 1024 * 1024;

/**
 * The whole body of a request, unpacked. Refuses with 413 as soon as it is known to be too large; what the client still sends is then
 * read and thrown away, so that it gets to see the answer. Rejects when the client goes away.
 */
export async function readBody(request: IncomingMessage, maxBytes = defaultMaxBodyBytes): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw unsupportedMediaType(`a body with Content-Encoding "${encoding}" cannot be read; send it plain or as gzip`);
  }
  if (declaredLength(request) > maxBytes) throw bodyTooLarge(maxBytes);
  const bytes = await collect(request, maxBytes);
  return encoding === 'identity' ? bytes : await unpack(bytes, maxBytes);
}

/** What Content-Length says; 0 when it says nothing. */
export function declaredLength(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

function bodyTooLarge(maxBytes: number): Error {
  return tooLarge(`the body of a request may have at most ${maxBytes} bytes`);
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isTooLarge = false;
    // The request is forgotten after its answer, and its listeners with it; once settled, they do nothing.
    function onData(chunk: Buffer): void {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      // What still comes is thrown away.
      if (!isTooLarge) reject(bodyTooLarge(maxBytes));
      isTooLarge = true;
      chunks.length = 0;
    }
    function onEnd(): void {
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    }
    function onGone(cause?: unknown): void {
      if (!request.complete) reject(badRequest('the connection ended before the body was complete', { cause }));
    }
    // Streams that are over give no more events.
    if (request.destroyed) return onGone();
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function unpack(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: maxBytes }, (error, unpacked) => {
      if (!error) return resolve(unpacked);
      const code = (error as NodeJS.ErrnoException).code;
      reject(
        code === 'ERR_BUFFER_TOO_LARGE'
          ? bodyTooLarge(maxBytes)
          : badRequest('the body is no valid gzip', { cause: error }),
      );
    });
  });
}

/**
 * The value that a body holds, by its media type or, when that says nothing, by what it looks like. Of one in protobuf the bytes alone do not
 * say what they mean: it is read as `wanted`.
 */
export async function parseBody(
  bytes: Buffer,
  contentType: string | undefined,
  wanted: BodyType<unknown>,
): Promise<unknown> {
  // What nearly all clients send.
  const type = contentType === 'application/json' ? plainJson : readContentType(contentType);
  if (type.media === protobufMedia || (languageOf(type.media) === undefined && hasEnvelope(bytes))) {
    if (bytes.length === 0) throw badRequest('the request needs a body');
    return parseProtobuf(bytes, wanted);
  }
  return parseText(bytes, type);
}

/** The value that a body in JSON or YAML holds. */
export async function parseText(bytes: Buffer, type: ContentType): Promise<unknown> {
  const text = decode(bytes, type.charset);
  if (!/\S/.test(text)) throw badRequest('the request needs a body');
  const language = languageOf(type.media) ?? (/^\s*[[{]/.test(text) ? 'json' : 'yaml');
  return language === 'json' ? parseJson(text) : await parseYaml(text);
}

export interface ContentType {
  readonly media: string;
  readonly charset: string;
}

export const plainJson: ContentType = { media: 'application/json', charset: 'utf-8' };

function readContentType(contentType = ''): ContentType {
  const [media = '', ...parameters] = contentType.split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find(Boolean);
  return { media: media.trim().toLowerCase(), charset: (charset ?? 'utf-8').toLowerCase() };
}

function languageOf(media: string): 'json' | 'yaml' | undefined {
  if (media === 'application/json' || media === 'text/json' || media.endsWith('+json')) return 'json';
  if (/^(application|text)\/(x-)?yaml$/.test(media) || media.endsWith('+yaml')) return 'yaml';
  return undefined;
}

const readableCharsets = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

function decode(bytes: Buffer, charset: string): string {
  if (!readableCharsets.has(charset)) throw unsupportedMediaType(`the charset "${charset}" cannot be read; send UTF-8`);
  if (!isUtf8(bytes)) throw badRequest('the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
