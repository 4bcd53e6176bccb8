import { fraction } from '../../base/ids.ts';
import { endpoints as endpointsKind, type Endpoints } from '../../kinds/core/endpoints.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Service } from '../../kinds/core/service.ts';
import { badRequest, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { objectAddress, type Exchange } from '../exchange.ts';
import { addressOf, endpointPort, type NodeConnections } from './node-connections.ts';
import type { Destination, DestinationTls } from './open-socket.ts';
import { forward } from './proxy-forward.ts';
import { isPortNumber, parsePort, parseProxyName, type ProxyName } from './proxy-name.ts';

/** Passes the request on to a pod. Without a port it goes to the first that a container names. */
export async function proxyToPod(exchange: Exchange): Promise<undefined> {
  const named = parseProxyName(exchange.target.name ?? '');
  const pod = await find<Pod>(exchange, named.name);
  const host = pod.status?.podIP;
  if (!host) throw serviceUnavailable(`pod ${named.name} has no address yet`);
  await forward(exchange, { host, port: podPort(pod, named), owner: 'pod', tls: tlsOf(named) });
}

function podPort({ spec }: Readonly<Pod>, named: ProxyName): number {
  const declared = (spec?.containers ?? []).flatMap(({ ports = [] }) => ports);
  if (named.port === '') return declared[0]?.containerPort || usualPort(named);
  if (isPortNumber(named.port)) return parsePort(named.port);
  const port = declared.find(({ name }) => name === named.port)?.containerPort;
  if (!port) throw badRequest(`pod ${named.name} has no port ${JSON.stringify(named.port)}`);
  return port;
}

/** Passes the request on to one of a service's endpoints. */
export async function proxyToService(exchange: Exchange): Promise<undefined> {
  const named = parseProxyName(exchange.target.name ?? '');
  const portName = await servicePortName(exchange, named);
  const [served] = servedVersions(endpointsKind);
  const address = { served: served!, namespace: exchange.target.namespace, name: named.name };
  const { object } = (await exchange.context.registry.get(address)) as StoredObject<Endpoints>;
  const ready = readyEndpoints(object, portName);
  const chosen = ready[Math.floor(fraction(exchange.context.ids) * ready.length)];
  if (!chosen) {
    const where = named.port === '' ? 'without a port name, or with a single port' : `with port ${named.port}`;
    throw serviceUnavailable(`service ${named.name} has no endpoint ${where} that is ready`);
  }
  await forward(exchange, { ...chosen, owner: 'pod', tls: tlsOf(named) });
}

/** A number is a port of the service; its name is what endpoints know it by. Undefined when no port is asked for. */
async function servicePortName(exchange: Exchange, { name, port }: ProxyName): Promise<string | undefined> {
  if (port === '') return undefined;
  if (!isPortNumber(port)) return port;
  const service = await find<Service>(exchange, name);
  const declared = service.spec?.ports?.find((each) => each.port === Number(port));
  if (!declared) throw serviceUnavailable(`service ${name} has no port ${port}`);
  return declared.name ?? '';
}

/** Every address with its port of that name; with the only one, or that without a name, when no port is asked for. */
function readyEndpoints(
  { subsets }: Readonly<Endpoints>,
  portName: string | undefined,
): Pick<Destination, 'host' | 'port'>[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) => {
    const isOnly = portName === undefined && ports.length === 1;
    const port = isOnly ? ports[0] : ports.find(({ name = '' }) => name === (portName ?? ''));
    return port ? addresses.map(({ ip }) => ({ host: ip, port: port.port })) : [];
  });
}

/** Passes the request on to a node's agent, or to another port of the node. */
export async function proxyToNode(exchange: Exchange): Promise<undefined> {
  const named = parseProxyName(exchange.target.name ?? '');
  const node = await find<Node>(exchange, named.name);
  await forward(exchange, nodeDestination(node, named, exchange.context.nodes));
}

function nodeDestination(node: Readonly<Node>, named: ProxyName, nodes: NodeConnections | undefined): Destination {
  const host = addressOf(node);
  const isForAgent = named.port === '' || Number(named.port) === endpointPort(node);
  if (!host || (isForAgent && !nodes)) throw serviceUnavailable(`no agent answers for node ${named.name}`);
  if (nodes && isForAgent) return nodes.endpointOf(node);
  // A node of this machine has its own endpoint here; everything else that listens on the loopback address is not the node's.
  return { host, port: parsePort(named.port), owner: 'pod', tls: tlsOf(named) };
}

async function find<T extends ApiObject>(exchange: Exchange, name: string): Promise<Readonly<T>> {
  const stored = (await exchange.context.registry.get({ ...objectAddress(exchange), name })) as StoredObject<T>;
  return stored.object;
}

function usualPort({ scheme }: ProxyName): number {
  return scheme === 'https' ? 443 : 80;
}

/** Nobody vouches for the certificates of pods; as in the reference, they are taken as they are. */
function tlsOf({ scheme }: ProxyName): DestinationTls | undefined {
  return scheme === 'https' ? { options: { rejectUnauthorized: false } } : undefined;
}
