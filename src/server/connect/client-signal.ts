import type { Exchange } from '../exchange.ts';

/** Aborted when the client is gone, or has all of its answer. */
export function clientSignal({ response, upgrade }: Exchange): AbortSignal {
  const leaving = new AbortController();
  const connection = upgrade?.socket ?? response;
  if (connection.destroyed) leaving.abort();
  else connection.once('close', () => leaving.abort());
  return leaving.signal;
}

/**
 * The same for an answer that is waited for without bound. The end of the client's side alone does not close a connection that would change its protocol, as
 * it does with others; here it means that the client is gone, too.
 */
export function waitingClientSignal(exchange: Exchange): AbortSignal {
  const { upgrade } = exchange;
  if (!upgrade) return clientSignal(exchange);
  const ending = new AbortController();
  if (upgrade.socket.readableEnded) ending.abort();
  else upgrade.socket.once('end', () => ending.abort());
  return AbortSignal.any([clientSignal(exchange), ending.signal]);
}
