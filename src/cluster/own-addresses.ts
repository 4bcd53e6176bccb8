import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

export const loopback = '127.0.0.1';

/** The address itself where it is one, or one of this machine's where all are served; none when only this machine is. */
export function advertiseAddress(bindAddress: string): string | undefined {
  if (!isUnspecified(bindAddress)) return isRoutable(bindAddress) ? bindAddress : undefined;
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ address, family }) => family === 'IPv4' && isRoutable(address))?.address;
}

/** Whether it is an address that other machines may know this one by. */
export function isRoutable(address: string): boolean {
  return !isUnspecified(address) && !/^(127\.|169\.254\.|::1$|fe80:)/.test(address);
}

/** An address under which this machine reaches what it serves there. */
export function reachableHost(address: string): string {
  return isUnspecified(address) ? loopback : address;
}

/** The addresses that stand for all of a machine's. */
export function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** What a port of this machine is called by whoever is on it. */
export function urlOf(
  scheme: 'http' | 'https',
  { address, port }: { readonly address: string; readonly port: number },
): string {
  const host = reachableHost(address);
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
