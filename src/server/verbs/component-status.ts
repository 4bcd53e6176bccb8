import { notFound } from '../../kinds/meta/api-error.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { computedList, computedObject } from './computed.ts';
import { listRequest } from './list-query.ts';

/** Asks every component now; nothing of it is stored, so it has no revision and cannot be watched. */
export async function listComponentStatuses(exchange: Exchange): Promise<Answer> {
  const { selection } = listRequest(exchange);
  const all = await exchange.context.componentStatuses.list();
  return computedList(
    exchange,
    all.filter((status) => selection.matchesObject(status)),
  );
}

export async function getComponentStatus(exchange: Exchange): Promise<Answer> {
  const { context, target } = exchange;
  const statuses = await context.componentStatuses.list();
  const found = statuses.find(({ metadata }) => metadata.name === target.name);
  if (!found) throw notFound({ resource: target.resource.name, name: target.name });
  return computedObject(exchange, found);
}
