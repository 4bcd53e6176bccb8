import { selfLink } from '../../registry/address.ts';
import { encodeList } from '../../registry/encoding.ts';
import type { ListRequest } from '../../registry/list.ts';
import type { PiecedBytes } from '../../registry/pieced-bytes.ts';
import { collectionAddress, type Answer, type Exchange } from '../exchange.ts';
import { listBody } from '../table/shaped-answer.ts';
import { listRequest } from './list-query.ts';
import { flag } from './query.ts';
import { watchObjects } from '../watch/watch.ts';

/** The collection, or with `watch` the stream of its changes. Always answers from the newest state. */
export async function listObjects(exchange: Exchange): Promise<Answer | undefined> {
  if (flag(exchange.query, 'watch')) return watchObjects(exchange);
  const request = listRequest(exchange);
  const isWhole = request.selection.isEverything && !request.limit && !request.continue && !exchange.shape;
  if (isWhole) return { code: 200, body: await wholeCollection(exchange, request) };
  const list = await exchange.context.registry.list(collectionAddress(exchange), request);
  return { code: 200, body: await listBody(exchange, list) };
}

async function wholeCollection(exchange: Exchange, request: ListRequest): Promise<Buffer | PiecedBytes> {
  const { registry, lists } = exchange.context;
  const address = collectionAddress(exchange);
  const path = selfLink(address.served, address.namespace);
  const kept = lists.find(path, await registry.revision());
  if (kept) return kept;
  const list = await registry.list(address, request);
  return lists.note(path, list.revision, encodeList(list));
}
