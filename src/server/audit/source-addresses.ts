import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const mostAddresses = 16;

/** Where a request came from: what proxies say about it first, the other end of the connection last. Only the last is certain. */
export function sourceAddresses({ headers, socket }: IncomingMessage): string[] {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => isIP(address) !== 0)
    .slice(0, mostAddresses);
  const remote = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  return remote === undefined || forwarded.at(-1) === remote ? forwarded : [...forwarded, remote];
}
