import type { ComponentStatus } from '../../kinds/core/component-status.ts';
import { notFound } from '../../kinds/meta/api-error.ts';
import { selfLink } from '../../registry/address.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { computedList, computedObject } from './computed.ts';
import { listRequest } from './list-query.ts';

/** Asks every component now; nothing of it is stored, so it has no revision and cannot be watched. */
export async function listComponentStatuses(exchange: Exchange): Promise<Answer> {
  const { selection } = listRequest(exchange);
  const all = await statusesNow(exchange);
  return computedList(
    exchange,
    all.filter((status) => selection.matchesObject(status)),
  );
}

export async function getComponentStatus(exchange: Exchange): Promise<Answer> {
  const { target } = exchange;
  const statuses = await statusesNow(exchange);
  const found = statuses.find(({ metadata }) => metadata.name === target.name);
  if (!found) throw notFound({ resource: target.resource.name, name: target.name });
  return computedObject(exchange, found);
}

async function statusesNow({ context, target }: Exchange): Promise<ComponentStatus[]> {
  const statuses = await context.componentStatuses.list();
  const { served } = target.resource;
  return statuses.map((status) => {
    const { metadata } = status;
    return { ...status, metadata: { ...metadata, selfLink: selfLink(served, undefined, metadata.name) } };
  });
}
