import { encodeList } from '../../registry/encoding.ts';
import { readDeleteRequest } from './delete-request.ts';
import { collectionAddress, type Answer, type Exchange } from '../exchange.ts';
import { listRequest } from './list-query.ts';

/** Answers with the list of what was deleted. */
export async function deleteCollection(exchange: Exchange): Promise<Answer> {
  const selected = listRequest(exchange);
  const request = await readDeleteRequest(exchange);
  const deleted = await exchange.context.registry.deleteCollection(collectionAddress(exchange), selected, request);
  return { code: 200, body: encodeList(deleted) };
}
