import { parseBlock, type AddressBlock } from '../../../../simulated/address-block.ts';
import { tryClaimBlock } from '../../addresses/claim-block.ts';
import type { UsedNetworks } from './used-networks.ts';

/**
 * Where pods and services get addresses that other networks must be able to reach. First those that are set aside for measuring network devices and
 * that nobody routes, then those of carriers, then private ones.
 */
const ranges = {
  pods: { bits: 10, from: ['198.18.0.0/16', '100.64.0.0/11', '10.192.0.0/11'] },
  services: { bits: 12, from: ['198.19.0.0/16', '100.96.0.0/11', '10.224.0.0/11'] },
} as const;

/** Of the blocks that nodes have for their pods. */
export const podPrefixLength = 32 - ranges.pods.bits;

export interface BlockChoice {
  readonly purpose: keyof typeof ranges;
  readonly used: UsedNetworks;
  /** A directory that all nodes of the machine share. */
  readonly registry: string;
  readonly owner: string;
}

/** A block that overlaps with no network of the machine and is no other node's, the same again where that still holds. */
export async function chooseBlock({ purpose, used, registry, owner }: BlockChoice): Promise<AddressBlock> {
  const { bits, from } = ranges[purpose];
  const accepts = (block: AddressBlock): boolean => used.isFree(block);
  for (const cidr of from) {
    const block = await tryClaimBlock({ range: parseBlock(cidr)!, registry, owner, bits, accepts });
    if (block) return block;
  }
  throw new Error(`no addresses are left for ${purpose}: this machine has routes to all of ${from.join(', ')}`);
}
