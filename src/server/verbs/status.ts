import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { objectBody } from '../table/shaped-answer.ts';
import { readPatch } from './patch.ts';
import { updatePart } from './update.ts';

const linkSuffix = '/status';

/** The whole object: what its status is about comes with it. */
export async function getStatus(exchange: Exchange): Promise<Answer> {
  const stored = await exchange.context.registry.get(objectAddress(exchange));
  return { code: 200, body: objectBody(exchange, stored, { linkSuffix }) };
}

/** PUT `/status`: the status, and metadata such as labels; the rest of the object stays. */
export function updateStatus(exchange: Exchange): Promise<Answer> {
  return updatePart(exchange, 'status');
}

/** As above, for a part of the status. */
export async function patchStatus(exchange: Exchange): Promise<Answer> {
  const request = await readPatch(exchange);
  const address = objectAddress(exchange);
  const { object, warnings } = await exchange.context.registry.patch(address, { ...request, subresource: 'status' });
  return { code: 200, body: objectBody(exchange, object, { linkSuffix }), warnings };
}
