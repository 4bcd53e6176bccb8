import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Pod } from '../../kinds/core/pod.ts';
import { badRequest } from '../../kinds/meta/api-error.ts';
import type { CommandRequest } from '../../streams/command-streams.ts';
import { readPortsQuery, writeCommandQuery, writePortsQuery } from '../../streams/node-query.ts';
import type { Answer, Exchange, RequestedUpgrade } from '../exchange.ts';
import { flag } from '../verbs/query.ts';
import { askNode, nodeOf, nodePath } from './ask-node.ts';
import { nodeRefusal } from './node-refusal.ts';
import type { Destination } from './open-socket.ts';
import { chooseContainer, findPod } from './pod-container.ts';
import { switchProtocols } from './switch-protocols.ts';

/** Runs a command in a container. */
export async function execInContainer(exchange: Exchange): Promise<Answer | undefined> {
  const pod = await findPod(exchange);
  const container = chooseContainer(pod, exchange.query.get('container'));
  const place = await placeOf(exchange, pod);
  const command = exchange.query.getAll('command');
  if (command.length === 0) throw badRequest('exec needs a command');
  const query = writeCommandQuery({ ...streamsOf(exchange), command });
  return connect(exchange, place, nodePath([...pathTo('exec', pod), container], query));
}

/** Joins the main process of a container. */
export async function attachToContainer(exchange: Exchange): Promise<Answer | undefined> {
  const pod = await findPod(exchange);
  const container = chooseContainer(pod, exchange.query.get('container'));
  const place = await placeOf(exchange, pod);
  const query = writeCommandQuery({ ...streamsOf(exchange), command: [] });
  return connect(exchange, place, nodePath([...pathTo('attach', pod), container], query));
}

/** Carries connections to ports of a pod. */
export async function forwardPorts(exchange: Exchange): Promise<Answer | undefined> {
  const pod = await findPod(exchange);
  const place = await placeOf(exchange, pod);
  const ports = readPortsQuery(exchange.query, 'ports');
  if (!ports) throw badRequest('ports must be numbers from 1 to 65535, several of them with commas between');
  const path = nodePath(pathTo('portForward', pod), writePortsQuery(ports));
  const isWithoutPort = isWebSocket(exchange.request) && ports.length === 0;
  if (exchange.upgrade && isWithoutPort) throw badRequest('a WebSocket needs the ports that it is for: ports=8080');
  return connect(exchange, place, path);
}

function pathTo(what: string, { metadata: { namespace = '', name = '' } }: Readonly<Pod>): string[] {
  return [what, namespace, name];
}

/**
 * Output that is not mentioned is wanted, as the API says. Clients that speak SPDY leave out what they do not want, and then open no stream for it, so with
 * them that holds only when they mention nothing at all.
 */
function streamsOf({ query, request }: Exchange): CommandRequest {
  const isImplied = isWebSocket(request) || !['stdin', 'stdout', 'stderr'].some((name) => query.has(name));
  const output = (name: string): boolean => (query.has(name) ? flag(query, name) : isImplied);
  const tty = flag(query, 'tty');
  // A terminal has one output for both.
  const streams = { stdin: flag(query, 'stdin'), stdout: output('stdout'), stderr: output('stderr') && !tty, tty };
  if (streams.stdin || streams.stdout || streams.stderr) return streams;
  throw badRequest('at least one of stdin, stdout and stderr must be asked for');
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The node that a pod is on. */
interface Place {
  readonly node: string;
  readonly agent: Destination;
}

/** Looked up before the options of a connection are, as in the reference: without a node there is nobody to take them. */
async function placeOf(exchange: Exchange, pod: Readonly<Pod>): Promise<Place> {
  const node = pod.spec?.nodeName;
  if (!node) throw badRequest(`pod ${exchange.target.name} is not on a node yet`);
  return { node, agent: await nodeOf(exchange, node) };
}

/** Lets client and node speak with each other. What the node refuses is refused here, before anything changes for the client. */
async function connect(exchange: Exchange, { node, agent }: Place, path: string): Promise<undefined> {
  const { upgrade, request, target } = exchange;
  if (!upgrade || !isSpoken(upgrade)) {
    throw badRequest(`${target.subresource} needs a connection that is upgraded to SPDY/3.1 or websocket`);
  }
  const sent = { method: request.method ?? 'GET', path, headers: upgradeHeaders(request) };
  const { message, switched } = await askNode(exchange, agent, sent);
  if (!switched) throw await nodeRefusal(node, message);
  switchProtocols(exchange, upgrade, { message, switched });
  return undefined;
}

function isSpoken({ request }: RequestedUpgrade): boolean {
  return isWebSocket(request) || /^spdy\/3\.1$/i.test(request.headers.upgrade ?? '');
}

/** All that the two sides have to agree on, and no credentials: the node trusts the server, which has checked the client's. */
function upgradeHeaders({ headers, headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const agreed = Object.entries(headersDistinct).filter(
    ([name]) => name === 'x-stream-protocol-version' || name.startsWith('sec-websocket-') || name === 'user-agent',
  );
  return { Connection: 'Upgrade', Upgrade: headers.upgrade, ...Object.fromEntries(agreed) };
}
