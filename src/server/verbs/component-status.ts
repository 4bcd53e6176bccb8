import { notFound } from '../../kinds/meta/api-error.ts';
import { selfLink } from '../../registry/address.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { shapedList, shapedObject } from '../table/shaped-answer.ts';
import { showComputed } from '../table/showable.ts';
import { listRequest } from './list-query.ts';

/** Asks every component now; nothing of it is stored, so it has no revision and cannot be watched. */
export async function listComponentStatuses(exchange: Exchange): Promise<Answer> {
  const { context, target, shape } = exchange;
  const { served } = target.resource;
  const { selection } = listRequest(exchange);
  const all = await context.componentStatuses.list();
  const items = all.filter((status) => selection.matchesObject(status));
  const metadata = { selfLink: selfLink(served, undefined) };
  if (shape) {
    const shown = items.map((status) => () => showComputed(status));
    return { code: 200, body: await shapedList(exchange, shape, { metadata, shown }) };
  }
  return { code: 200, body: { kind: `${served.kind.kind}List`, apiVersion: served.apiVersion, metadata, items } };
}

export async function getComponentStatus(exchange: Exchange): Promise<Answer> {
  const { context, target, shape } = exchange;
  const statuses = await context.componentStatuses.list();
  const found = statuses.find(({ metadata }) => metadata.name === target.name);
  if (!found) throw notFound({ resource: target.resource.name, name: target.name });
  return { code: 200, body: shape ? shapedObject(exchange, shape, showComputed(found)) : found };
}
