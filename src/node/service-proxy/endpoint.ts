import type { Endpoints } from '../../kinds/core/endpoints.ts';
import { asIpv4 } from '../../kinds/core/ip-address.ts';

/** One address and port that answers for a service. */
export interface Endpoint {
  readonly ip: string;
  readonly port: number;
}

export function endpointKey({ ip, port }: Endpoint): string {
  return `${ip}:${port}`;
}

/** What is ready to answer for the port of this name, each once. As in the reference the name alone decides, not the protocol. */
export function readyEndpoints(endpoints: Endpoints | undefined, portName: string): Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
    for (const { name = '', port } of ports) {
      if (name !== portName) continue;
      for (const { ip } of addresses) {
        const endpoint = { ip: asIpv4(ip) ?? ip, port };
        found.set(endpointKey(endpoint), endpoint);
      }
    }
  }
  return [...found.values()];
}
