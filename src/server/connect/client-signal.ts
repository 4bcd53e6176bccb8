import type { Exchange } from '../exchange.ts';

/** Aborted when the client is gone, or has all of its answer. */
export function clientSignal({ response, upgrade }: Exchange): AbortSignal {
  const leaving = new AbortController();
  const connection = upgrade?.socket ?? response;
  if (connection.destroyed) leaving.abort();
  else connection.once('close', () => leaving.abort());
  return leaving.signal;
}
