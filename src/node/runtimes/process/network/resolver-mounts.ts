import { readFile } from 'node:fs/promises';
import type { Mount } from '../../../runtime.ts';
import type { NetworkPlace } from './pod-network.ts';

const resolverFile = '/etc/resolv.conf';
/** Where systemd says which servers its own one asks. */
const upstreamFile = '/run/systemd/resolve/resolv.conf';

/**
 * What a pod with a network of its own needs to look names up: a server that listens on the machine's loopback address is not there for it, so it gets the
 * servers that this one asks. Nothing where the machine's own file will do, or where a volume brings one.
 */
export async function resolverMounts(place: NetworkPlace | undefined, mounts: readonly Mount[]): Promise<Mount[]> {
  if (place?.namespace === undefined || mounts.some(({ containerPath }) => containerPath === resolverFile)) return [];
  const own = await readFile(resolverFile, 'utf8').catch(() => '');
  if (!asksOnlyItself(own)) return [];
  const upstream = await readFile(upstreamFile, 'utf8').catch(() => '');
  if (upstream === '' || asksOnlyItself(upstream)) return [];
  return [{ hostPath: upstreamFile, containerPath: resolverFile, readOnly: true }];
}

function asksOnlyItself(resolver: string): boolean {
  const servers = [...resolver.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
  return servers.every((address) => address.startsWith('127.') || address === '::1');
}
