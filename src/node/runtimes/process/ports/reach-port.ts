import { isIPv6 } from 'node:net';
import { listeningSockets, type ListeningSocket } from './listening-sockets.ts';
import type { SocketHolders } from './socket-holders.ts';

export interface PortSearch {
  readonly port: number;
  /** The pod's own. */
  readonly address: string;
  /** The pod's containers. */
  readonly containers: ReadonlySet<string>;
  readonly holders: SocketHolders;
}

/** Programs that listen for their own pod alone use these. */
export const loopbackAddresses = ['127.0.0.1', '::1'];

/**
 * The addresses at which the programs of a pod take connections to a port, best first. Pods share the network of the machine, so a connection to the
 * address of a pod may well lead to somebody else, and one to the loopback address nearly always does: only where every socket that could take
 * it belongs to the pod is it the pod's. Fails when there is no such address.
 */
export async function findOwnAddresses({ port, address, containers, holders }: PortSearch): Promise<string[]> {
  const sockets = await listeningSockets(port);
  const candidates = [address, ...loopbackAddresses].map((host) => ({ host, takers: takersOf(host, sockets) }));
  const inodes = new Set(candidates.flatMap(({ takers }) => takers.map(({ inode }) => inode)));
  const own = await holders.heldBy(containers, inodes);
  const isOwn = ({ inode }: ListeningSocket): boolean => own.has(inode);
  const found = candidates.filter(({ takers }) => takers.length > 0 && takers.every(isOwn));
  if (found.length > 0) return found.map(({ host }) => host);
  const others = inodes.size > 0 ? '; what listens there on this machine belongs to somebody else' : '';
  throw new Error(`no program of this pod listens on port ${port}${others}`);
}

/** The sockets of which one takes a connection to an address: those that have it, and only without any such those for all addresses. */
function takersOf(host: string, sockets: readonly ListeningSocket[]): ListeningSocket[] {
  const exact = sockets.filter(({ address }) => address === host);
  if (exact.length > 0) return exact;
  // A socket for all addresses of IPv6 may take IPv4 as well; whether it does is not told.
  const all = isIPv6(host) ? ['::'] : ['0.0.0.0', '::'];
  return sockets.filter(({ address }) => all.includes(address));
}
