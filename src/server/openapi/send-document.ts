import { sendBytes, standardHeaders, type HttpExchange } from '../http/send-bytes.ts';
import type { DescribedDocument } from './described-document.ts';

/** Sends a document, or only that it has not changed since the client got it. `hash` is the one that the client asks for by name. */
export async function sendDocument(
  exchange: HttpExchange,
  document: DescribedDocument,
  hash?: string | null,
): Promise<void> {
  const { request, response } = exchange;
  // Weak, because the same content may go out packed or not.
  const tag = `W/"${document.hash}"`;
  const headers = {
    ETag: tag,
    Vary: 'Accept, Accept-Encoding',
    // What is asked for by its hash can never be anything else.
    ...(hash === document.hash && { 'Cache-Control': 'private, max-age=31536000, immutable' }),
  };
  if (knows(request.headers['if-none-match'], document.hash)) {
    response.writeHead(304, { ...standardHeaders(exchange.requestId), ...headers }).end();
    return;
  }
  await sendBytes(exchange, { code: 200, body: document.bytes, contentType: document.contentType, headers });
}

function knows(header: string | undefined, hash: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`);
}
