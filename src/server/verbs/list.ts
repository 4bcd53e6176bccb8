import { collectionAddress, type Answer, type Exchange } from '../exchange.ts';
import { listBody } from '../table/shaped-answer.ts';
import { listRequest } from './list-query.ts';
import { flag } from './query.ts';
import { watchObjects } from '../watch/watch.ts';

/** The collection, or with `watch` the stream of its changes. Always answers from the newest state. */
export async function listObjects(exchange: Exchange): Promise<Answer | undefined> {
  if (flag(exchange.query, 'watch')) return watchObjects(exchange);
  const { registry } = exchange.context;
  const request = listRequest(exchange);
  const address = collectionAddress(exchange);
  const isWhole = request.selection.isEverything && !request.limit && !request.continue;
  if (isWhole && !exchange.shape) return { code: 200, body: await registry.listAnswer(address) };
  return { code: 200, body: await listBody(exchange, await registry.list(address, request)) };
}
