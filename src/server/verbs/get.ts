import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { objectBody } from '../table/shaped-answer.ts';
import { exportObject } from './export.ts';
import { flag } from './query.ts';

export async function getObject(exchange: Exchange): Promise<Answer> {
  const { context, query, target } = exchange;
  const { served } = target.resource;
  const stored = await context.registry.get(objectAddress(exchange));
  if (flag(query, 'export')) return { code: 200, body: exportObject(stored, served, flag(query, 'exact')) };
  const body = exchange.shape ? objectBody(exchange, stored) : context.registry.objectAnswer(stored, served);
  return { code: 200, body };
}
