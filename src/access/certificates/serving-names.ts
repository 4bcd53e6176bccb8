import { hostname, networkInterfaces } from 'node:os';

const localNames = ['localhost', '127.0.0.1', '::1'];

/** The names under which pods look for the server. */
const clusterNames = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

const hostNameShape = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Every name and address under which clients of this machine's server may call it; `extra` are those that only the caller knows. */
export function servingNames(extra: readonly string[] = []): string[] {
  const host = hostname().toLowerCase();
  const hostNames = hostNameShape.test(host) && host.length <= 253 ? [host] : [];
  return [...new Set([...localNames, ...clusterNames, ...hostNames, ...machineAddresses(), ...extra])];
}

function machineAddresses(): string[] {
  const addresses = Object.values(readInterfaces()).flatMap((entries) => entries ?? []);
  // Link-local IPv6 addresses mean nothing without the name of an interface.
  return addresses.filter((entry) => !entry.address.startsWith('fe80')).map((entry) => entry.address);
}

function readInterfaces(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces();
  } catch {
    // Some sandboxes forbid the question; the machine's own addresses are then left out.
    return {};
  }
}
