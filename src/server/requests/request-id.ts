import type { IncomingMessage } from 'node:http';
import type { Ids } from '../../base/ids.ts';

/** What may come back in a header and stand in a log line: no more than names and numbers need. */
const sane = /^[\w.:-]{1,128}$/;

/** The id that the client gave its request, or else a new one. */
export function requestIdOf({ headers }: IncomingMessage, ids: Ids): string {
  const given = headers['x-request-id'] ?? headers['audit-id'];
  return typeof given === 'string' && sane.test(given) ? given : ids.uid();
}
