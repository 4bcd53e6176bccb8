import { isIPv6 } from 'node:net';
import { asIpv4 } from '../../kinds/core/ip-address.ts';
import { headless } from '../../kinds/core/service-spec.ts';
import type { ServicePort } from '../../kinds/core/service-port.ts';
import type { Service } from '../../kinds/core/service.ts';

/** A place at which a node takes traffic for a service. */
export interface Portal {
  readonly protocol: 'TCP' | 'UDP';
  /** Empty for all addresses of the machine. */
  readonly address: string;
  readonly port: number;
}

/** A portal and what it is for. */
export interface ServicePortal extends Portal {
  /** External addresses are those that somebody else may bring to this machine, or to another. */
  readonly origin: 'cluster' | 'node' | 'external';
  /** The port of the service that it leads to. */
  readonly portName: string;
}

export function portalKey({ protocol, address, port }: Portal): string {
  return `${protocol} ${address}:${port}`;
}

/** For people: `10.0.0.1:80/TCP`. */
export function portalText({ protocol, address, port }: Portal): string {
  const host = address === '' ? '*' : isIPv6(address) ? `[${address}]` : address;
  return `${host}:${port}/${protocol}`;
}

/** The address of a service inside the cluster; empty when it has none. */
export function clusterAddress({ spec }: Service): string {
  const { clusterIP = '' } = spec ?? {};
  return clusterIP === headless ? '' : (asIpv4(clusterIP) ?? clusterIP);
}

/** Where a node takes traffic for a service, each place once. Nowhere for a service without an address, as in the reference. */
export function portalsOf(service: Service, nodePortAddress: string): ServicePortal[] {
  if (clusterAddress(service) === '') return [];
  const portals = new Map<string, ServicePortal>();
  for (const port of service.spec?.ports ?? []) {
    for (const portal of portPortals(service, port, nodePortAddress)) {
      const key = portalKey(portal);
      if (!portals.has(key)) portals.set(key, portal);
    }
  }
  return [...portals.values()];
}

function portPortals(service: Service, servicePort: ServicePort, nodePortAddress: string): ServicePortal[] {
  const { protocol = 'TCP', port, nodePort = 0, name: portName = '' } = servicePort;
  const hasNodePorts = service.spec?.type === 'NodePort' || service.spec?.type === 'LoadBalancer';
  const portals: ServicePortal[] = [
    { protocol, address: clusterAddress(service), port, origin: 'cluster', portName },
    ...externalAddresses(service).map((address) => ({
      protocol,
      address,
      port,
      origin: 'external' as const,
      portName,
    })),
  ];
  if (hasNodePorts && nodePort > 0) {
    portals.push({ protocol, address: nodePortAddress, port: nodePort, origin: 'node', portName });
  }
  return portals;
}

function externalAddresses({ spec, status }: Service): string[] {
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  return [...(spec?.externalIPs ?? []), ...balanced].filter((ip) => ip !== '').map((ip) => asIpv4(ip) ?? ip);
}
