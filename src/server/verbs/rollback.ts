import { rollbackType } from '../../registry/subresources/rollback.ts';
import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

/** Asks for a rollback; a controller carries it out. */
export async function rollBack(exchange: Exchange): Promise<Answer> {
  const options = writeOptions(exchange);
  const body = await readObject(exchange, rollbackType);
  const status = await exchange.context.registry.rollback(objectAddress(exchange), { ...options, body });
  return { code: exchange.target.resource.served.createdCode, body: status };
}
