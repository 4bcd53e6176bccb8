import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { HtmlLinks } from './html-links.ts';

const unpackers: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What an answer's body passes through on its way, in order. */
export interface BodyChanges {
  readonly stages: readonly Transform[];
  /** The answer's headers, as they are once the body is changed. */
  readonly headers: OutgoingHttpHeaders;
}

/** The links of a page are rewritten. Everything else, parts of pages and encodings that nobody here knows included, passes as it is. */
export function changeBody(
  answer: IncomingMessage,
  headers: OutgoingHttpHeaders,
  rewrite: (link: string) => string,
): BodyChanges {
  const { statusCode } = answer;
  const [mediaType = ''] = (answer.headers['content-type'] ?? '').split(';');
  const encoding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase();
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  const isReadable = encoding === '' || encoding === 'identity' || unpack !== undefined;
  const isPage = mediaType.trim().toLowerCase() === 'text/html' && statusCode !== 206 && isReadable;
  if (!isPage) return { stages: [], headers };
  const { 'content-length': _length, 'content-encoding': _encoding, ...kept } = headers;
  return { stages: [...(unpack ? [unpack()] : []), new HtmlLinks(rewrite)], headers: kept };
}
