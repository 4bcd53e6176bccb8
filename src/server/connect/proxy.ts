import { fraction } from '../../base/ids.ts';
import { endpoints as endpointsKind, type Endpoints } from '../../kinds/core/endpoints.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Service } from '../../kinds/core/service.ts';
import { ApiError, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { objectAddress, type Exchange } from '../exchange.ts';
import { forward } from './proxy-forward.ts';
import { parsePort, parseProxyName, type ProxyName } from './proxy-name.ts';

/** Passes the request on to a pod. Without a port it goes to the first that a container names. */
export async function proxyToPod(exchange: Exchange): Promise<undefined> {
  const named = parseProxyName(exchange.target.name ?? '');
  const pod = await find<Pod>(exchange, named.name);
  const host = pod.status?.podIP;
  if (!host) throw serviceUnavailable(`pod ${named.name} has no address yet`);
  const declared = pod.spec?.containers?.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
  await forward(exchange, { ...named, host, port: portOf(named, declared) });
}

/** Passes the request on to one of a service's endpoints. */
export async function proxyToService(exchange: Exchange): Promise<undefined> {
  const named = parseProxyName(exchange.target.name ?? '');
  const portName = await servicePortName(exchange, named);
  const [served] = servedVersions(endpointsKind);
  const address = { served: served!, namespace: exchange.target.namespace, name: named.name };
  const { object } = (await exchange.context.registry.get(address)) as StoredObject<Endpoints>;
  const ready = readyEndpoints(object, named.port === '' ? undefined : portName);
  const chosen = ready[Math.floor(fraction(exchange.context.ids) * ready.length)];
  if (!chosen) throw serviceUnavailable(`service ${named.name} has no endpoint that is ready`);
  await forward(exchange, { ...named, ...chosen });
}

/** Every address with its port of that name; with its first port when no port is asked for. */
function readyEndpoints({ subsets }: Readonly<Endpoints>, portName: string | undefined): HostAndPort[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) => {
    const port = portName === undefined ? ports[0] : ports.find(({ name = '' }) => name === portName);
    return port ? addresses.map(({ ip }) => ({ host: ip, port: port.port })) : [];
  });
}

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Passes the request on to a node's agent. */
export async function proxyToNode(exchange: Exchange): Promise<undefined> {
  const named = parseProxyName(exchange.target.name ?? '');
  const node = await find<Node>(exchange, named.name);
  const addresses = node.status?.addresses ?? [];
  const kinds = ['InternalIP', 'LegacyHostIP', 'ExternalIP'];
  const host = kinds.map((kind) => addresses.find(({ type }) => type === kind)?.address).find(Boolean);
  const agentPort = node.status?.daemonEndpoints?.kubeletEndpoint?.Port;
  if (!host || (!agentPort && !named.port)) throw serviceUnavailable(`no agent answers for node ${named.name}`);
  const scheme = exchange.target.name?.includes(':') ? named.scheme : 'https';
  await forward(exchange, { scheme, host, port: portOf(named, agentPort) });
}

async function find<T extends ApiObject>(exchange: Exchange, name: string): Promise<Readonly<T>> {
  const stored = (await exchange.context.registry.get({ ...objectAddress(exchange), name })) as StoredObject<T>;
  return stored.object;
}

function portOf({ scheme, port }: ProxyName, usual: number | undefined): number {
  return port ? parsePort(port) : usual || (scheme === 'https' ? 443 : 80);
}

/** A number is a port of the service; its name is what endpoints know it by. */
async function servicePortName(exchange: Exchange, { name, port }: ProxyName): Promise<string> {
  if (!/^\d+$/.test(port)) return port;
  try {
    const service = await find<Service>(exchange, name);
    return service.spec?.ports?.find((each) => each.port === Number(port))?.name ?? '';
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return '';
    throw error;
  }
}
