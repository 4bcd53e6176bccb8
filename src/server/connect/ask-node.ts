import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { isApiError, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Exchange } from '../exchange.ts';
import { clientSignal } from './client-signal.ts';
import type { Destination } from './open-socket.ts';
import { sendRequest, type Reply, type SentRequest } from './send-request.ts';

/** How long a node may take to begin its answer. */
const answerMs = 30_000;

/** The agent of the node that a pod is on. Fails with 503 when there is none. */
export async function nodeOf(exchange: Exchange, nodeName: string): Promise<Destination> {
  const { nodes } = exchange.context;
  const node = await findNode(exchange, nodeName);
  if (nodes && node) return nodes.endpointOf(node);
  throw serviceUnavailable(`no agent answers for node ${nodeName}, which pod ${exchange.target.name} is on`);
}

/** Sends a request to a node's agent. Fails with 503 when it cannot be reached. */
export function askNode(exchange: Exchange, node: Destination, sent: SentRequest): Promise<Reply> {
  const headers = { 'X-Request-Id': exchange.requestId, ...sent.headers };
  const options = { clock: exchange.context.clock, signal: clientSignal(exchange), answerMs };
  return sendRequest(node, { ...sent, headers }, options);
}

async function findNode({ context }: Exchange, name: string): Promise<Readonly<Node> | undefined> {
  try {
    const stored = (await context.registry.get({ served: servedVersions(nodeKind)[0]!, name })) as StoredObject<Node>;
    return stored.object;
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}

/** A path of the node's endpoint, such as `/exec/default/web/main`. */
export function nodePath(segments: readonly string[], query: URLSearchParams): string {
  const text = query.toString();
  return `/${segments.map(encodeURIComponent).join('/')}${text && `?${text}`}`;
}
