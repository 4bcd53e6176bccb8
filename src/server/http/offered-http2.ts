import type { IncomingMessage } from 'node:http';

const offer: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Whether a client would change to HTTP/2 where the server likes to, which this one does not. Java's own client says so with every request. */
export function offersHttp2({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'h2c';
}

/** The beginning of the same request without the offer, up to where its body begins. */
export function withoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]!, rawHeaders[i + 1]!];
    const kept = name.toLowerCase() === 'connection' ? withoutOfferedNames(value) : value;
    if (!offer.has(name.toLowerCase()) && kept !== '') lines.push(`${name}: ${kept}`);
  }
  // Node reads headers as Latin-1.
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function withoutOfferedNames(connection: string): string {
  const names = connection.split(',').map((name) => name.trim());
  return names.filter((name) => !offer.has(name.toLowerCase())).join(', ');
}
