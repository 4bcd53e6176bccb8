import type { WriteRequest } from '../../registry/write.ts';
import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
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
  const body = await readObject(exchange);
  const request = { ...options, body, subresource };
  const { object, created, warnings } = await exchange.context.registry.update(objectAddress(exchange), request);
  const linkSuffix = subresource && `/${subresource}`;
  return {
    code: created ? served.createdCode : 200,
    body: objectBody(exchange, object, { linkSuffix }),
    warnings,
  };
}
