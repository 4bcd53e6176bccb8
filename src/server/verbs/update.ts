import { bodyTypeOf } from '../../registry/decode-body.ts';
import type { WriteRequest } from '../../registry/write.ts';
import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { actionOf } from '../request-action.ts';
import { objectBody } from '../table/shaped-answer.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

export function updateObject(exchange: Exchange): Promise<Answer> {
  return updatePart(exchange);
}

/** A PUT through a sub-resource writes one part of the object, and its answer says where it came from. */
export async function updatePart(exchange: Exchange, subresource?: WriteRequest['subresource']): Promise<Answer> {
  const { served } = exchange.target.resource;
  const options = writeOptions(exchange);
  const body = await readObject(exchange, bodyTypeOf(served));
  const request = { ...options, body, subresource, confirmCreate: () => confirmCreate(exchange) };
  const { object, created, warnings } = await exchange.context.registry.update(objectAddress(exchange), request);
  const linkSuffix = subresource && `/${subresource}`;
  return {
    code: created ? served.createdCode : 200,
    body: objectBody(exchange, object, { linkSuffix }),
    warnings,
  };
}

/** Where a replace creates, it takes the right to create as well. */
async function confirmCreate({ context, request, target, query, user }: Exchange): Promise<void> {
  const { name: _name, ...collection } = target;
  await context.authorize?.(user, actionOf({ target: collection, verb: 'create', path: request.url ?? '', query }));
}
