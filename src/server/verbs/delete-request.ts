import { badRequest } from '../../kinds/meta/api-error.ts';
import { deleteOptionsType, type DeleteRequest } from '../../registry/delete.ts';
import { parseBody } from '../http/body.ts';
import type { Exchange } from '../exchange.ts';
import { noteBody } from '../requests/request-record.ts';
import { readBytes } from './request-body.ts';
import { flag, integer } from './query.ts';
import { isDryRun } from './write-options.ts';

/** DeleteOptions come as a body; later clients send them as a query, too. What the body says counts. */
export async function readDeleteRequest(exchange: Exchange): Promise<DeleteRequest> {
  const { request, record, query, user } = exchange;
  const asked = optionsInQuery(query);
  const bytes = await readBytes(exchange);
  const sent =
    bytes.length > 0 ? await parseBody(bytes, request.headers['content-type'], deleteOptionsType) : undefined;
  if (sent !== undefined) noteBody(record, sent);
  const stages = [...query.getAll('dryRun'), ...stagesIn(sent)];
  const body = isPlainObject(sent) ? { ...asked, ...sent } : (sent ?? asked);
  return { user, dryRun: isDryRun(stages), body };
}

function optionsInQuery(query: URLSearchParams): Record<string, unknown> | undefined {
  const options: Record<string, unknown> = {};
  const grace = integer(query, 'gracePeriodSeconds');
  if (grace !== undefined) options.gracePeriodSeconds = grace;
  if (query.has('orphanDependents')) options.orphanDependents = flag(query, 'orphanDependents');
  const policy = query.get('propagationPolicy');
  if (policy) options.propagationPolicy = policy;
  return Object.keys(options).length > 0 ? options : undefined;
}

function stagesIn(sent: unknown): readonly unknown[] {
  const stages = isPlainObject(sent) ? sent.dryRun : undefined;
  if (stages === undefined || stages === null) return [];
  if (!Array.isArray(stages)) throw badRequest('dryRun must be a list of stages');
  return stages;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
