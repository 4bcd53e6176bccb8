import { bodyTypeOf } from '../../registry/decode-body.ts';
import { collectionAddress, type Answer, type Exchange } from '../exchange.ts';
import { objectBody } from '../table/shaped-answer.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

export async function createObject(exchange: Exchange): Promise<Answer> {
  const { served } = exchange.target.resource;
  const { user, dryRun, fieldValidation } = writeOptions(exchange);
  const body = await readObject(exchange, bodyTypeOf(served));
  const request = { user, dryRun, fieldValidation, body };
  const { object, warnings } = await exchange.context.registry.create(collectionAddress(exchange), request);
  return { code: served.createdCode, body: objectBody(exchange, object), warnings };
}
