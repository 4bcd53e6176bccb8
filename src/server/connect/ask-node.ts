import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { serviceUnavailable } from '../../kinds/meta/api-error.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Exchange } from '../exchange.ts';
import { clientSignal } from './client-signal.ts';
import type { Destination } from './open-socket.ts';
import { sendRequest, type Reply, type SentRequest } from './send-request.ts';

/** How long a node may take to begin its answer. */
const answerMs = 30_000;

/** The agent of the node that a pod is on. Fails with 404 when there is no such node, and with 503 when it has no agent. */
export async function nodeOf({ context, target }: Exchange, name: string): Promise<Destination> {
  const stored = (await context.registry.get({ served: servedVersions(nodeKind)[0]!, name })) as StoredObject<Node>;
  if (context.nodes) return context.nodes.endpointOf(stored.object);
  throw serviceUnavailable(`no agent answers for node ${name}, which pod ${target.name} is on`);
}

/** Sends a request to a node's agent. Fails with 503 when it cannot be reached. */
export function askNode(exchange: Exchange, node: Destination, sent: SentRequest): Promise<Reply> {
  const headers = { 'X-Request-Id': exchange.requestId, ...sent.headers };
  const options = { clock: exchange.context.clock, signal: clientSignal(exchange), answerMs };
  return sendRequest(node, { ...sent, headers }, options);
}

/** A path of the node's endpoint, such as `/exec/default/web/main`. */
export function nodePath(segments: readonly string[], query: URLSearchParams): string {
  const text = query.toString();
  return `/${segments.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
}
