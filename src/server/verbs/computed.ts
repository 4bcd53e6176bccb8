import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { selfLink } from '../../registry/address.ts';
import { getComputed, listComputed, type ComputedKind } from '../../registry/computed-kind.ts';
import type { Answer, Exchange } from '../exchange.ts';
import type { Operation } from '../route.ts';
import { listShapes, objectShapes } from '../table/shape.ts';
import { shapedList, shapedObject } from '../table/shaped-answer.ts';
import { showComputed } from '../table/showable.ts';
import { listRequest } from './list-query.ts';

/** GET of all objects of a kind that is worked out when it is read. */
export function listingComputed(computed: ComputedKind): Operation {
  return {
    verb: 'list',
    style: 'answer',
    shapes: listShapes,
    async run(exchange) {
      const { selection } = listRequest(exchange);
      return computedList(exchange, await listComputed(computed, exchange.target.namespace, selection));
    },
  };
}

/** GET of one. */
export function gettingComputed(computed: ComputedKind): Operation {
  return {
    verb: 'get',
    style: 'answer',
    shapes: objectShapes,
    async run(exchange) {
      const { namespace, name = '' } = exchange.target;
      return computedObject(exchange, await getComputed(computed, { namespace, name }));
    },
  };
}

/** What was worked out, as a list or in the shape that the client asked for. It has no revision. */
export async function computedList(exchange: Exchange, items: readonly ApiObject[]): Promise<Answer> {
  const { target, shape } = exchange;
  const { served } = target.resource;
  const metadata = { selfLink: selfLink(served, target.namespace) };
  if (shape) {
    const shown = items.map((item) => () => showComputed(item));
    return { code: 200, body: await shapedList(exchange, shape, { metadata, shown }) };
  }
  return { code: 200, body: { kind: `${served.kind.kind}List`, apiVersion: served.apiVersion, metadata, items } };
}

export function computedObject(exchange: Exchange, object: ApiObject): Answer {
  const { shape } = exchange;
  return { code: 200, body: shape ? shapedObject(exchange, shape, showComputed(object)) : object };
}
