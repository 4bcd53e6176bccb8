import type { Service } from '../../kinds/core/service.ts';
import { headless } from '../../kinds/core/service-spec.ts';

export type Variables = Record<string, string>;

/**
 * Variables by which containers find services, as the reference names them: `REDIS_SERVICE_HOST`, `REDIS_SERVICE_PORT`, and the older form
 * `REDIS_PORT_6379_TCP_ADDR`. Services without an address have none.
 */
export function serviceVariables(services: readonly Service[]): Variables {
  const variables: Variables = {};
  for (const service of services) Object.assign(variables, variablesOf(service));
  return variables;
}

function variablesOf({ metadata, spec }: Service): Variables {
  const { clusterIP = '', ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === '' || clusterIP === headless || !first) return {};
  const prefix = variableName(metadata.name ?? '');
  const variables: Variables = {
    [`${prefix}_SERVICE_HOST`]: clusterIP,
    [`${prefix}_SERVICE_PORT`]: String(first.port),
    [`${prefix}_PORT`]: addressOf(clusterIP, first),
  };
  for (const port of ports) {
    const protocol = port.protocol ?? 'TCP';
    const link = `${prefix}_PORT_${port.port}_${protocol}`;
    if (port.name) variables[`${prefix}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
    variables[link] = addressOf(clusterIP, port);
    variables[`${link}_PROTO`] = protocol.toLowerCase();
    variables[`${link}_PORT`] = String(port.port);
    variables[`${link}_ADDR`] = clusterIP;
  }
  return variables;
}

function addressOf(clusterIP: string, { port, protocol = 'TCP' }: { port: number; protocol?: string }): string {
  return `${protocol.toLowerCase()}://${clusterIP}:${port}`;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
