import { readFile } from 'node:fs/promises';
import { parseBlock, type AddressBlock } from '../../../../simulated/address-block.ts';
import type { NetworkNames } from './network-names.ts';
import type { NetworkShell } from './network-shell.ts';

/** Which addresses are somebody's already. */
export interface UsedNetworks {
  isFree(block: AddressBlock): boolean;
}

/**
 * The networks that this machine has routes to, apart from the node's own, and the servers that it asks for names: they may be reached over the
 * default route, which says nothing about who is there.
 */
export async function readUsedNetworks(shell: NetworkShell, own: NetworkNames): Promise<UsedNetworks> {
  const [routes, resolver] = await Promise.all([
    shell.run(`${shell.ip} -o -4 route show table all`),
    readFile('/etc/resolv.conf', 'utf8').catch(() => ''),
  ]);
  const used = [...routeTargets(routes, own), ...nameServers(resolver)];
  return { isFree: (block) => !used.some((other) => overlap(block, other)) };
}

/** Lines such as `10.0.0.0/8 dev eth0 proto kernel` or `local 10.0.0.1 dev lo metric 7`; of the default route it is the machine that it leads over. */
export function routeTargets(routes: string, { bridge, routeMetric }: NetworkNames): AddressBlock[] {
  return routes.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/);
    const isOwn = line.includes(` dev ${bridge} `) || wordAfter(words, 'metric') === String(routeMetric);
    const target = words.find((word) => /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(word));
    return isOwn || target === undefined ? [] : (blockOf(target) ?? []);
  });
}

function nameServers(resolver: string): AddressBlock[] {
  return [...resolver.matchAll(/^nameserver\s+(\S+)/gm)].flatMap(([, address = '']) => blockOf(address) ?? []);
}

function wordAfter(words: readonly string[], name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

function blockOf(text: string): AddressBlock | undefined {
  return parseBlock(text.includes('/') ? text : `${text}/32`);
}

/** Blocks are powers of two, so of two that overlap one contains the other. */
function overlap(a: AddressBlock, b: AddressBlock): boolean {
  return a.positionOf(b.at(0)) !== undefined || b.positionOf(a.at(0)) !== undefined;
}
