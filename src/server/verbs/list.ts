import { collectionAddress, type Answer, type Exchange } from '../exchange.ts';
import { listBody } from '../table/shaped-answer.ts';
import { listRequest } from './list-query.ts';
import { flag } from './query.ts';
import { watchObjects } from '../watch/watch.ts';

/** The collection, or with `watch` the stream of its changes. Always answers from the newest state. */
export async function listObjects(exchange: Exchange): Promise<Answer | undefined> {
  if (flag(exchange.query, 'watch')) return watchObjects(exchange);
  const list = await exchange.context.registry.list(collectionAddress(exchange), listRequest(exchange));
  return { code: 200, body: await listBody(exchange, list) };
}
