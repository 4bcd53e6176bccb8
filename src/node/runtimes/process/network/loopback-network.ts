import { join } from 'node:path';
import type { AddressBlock } from '../../../simulated/address-block.ts';
import { AddressTable } from '../addresses/address-table.ts';
import { claimBlock } from '../addresses/claim-block.ts';
import type { NetworkPlace, PodNetwork } from './pod-network.ts';

export interface LoopbackNetworkOptions {
  /** What all nodes of this machine take their parts from. */
  readonly range: AddressBlock;
  readonly registry: string;
  /** The node's own directory. */
  readonly directory: string;
  readonly hostAddress: string;
}

/** The file in the node's directory that says who has which address. */
export const loopbackAddressFile = 'addresses.json';

/** Pods are on the network of the machine, each with an address of its loopback network. Needs no rights and leaves nothing behind. */
export async function openLoopbackNetwork(options: LoopbackNetworkOptions): Promise<PodNetwork> {
  const { range, registry, directory, hostAddress } = options;
  const block = await claimBlock({ range, registry, owner: directory });
  const table = await AddressTable.open(join(directory, loopbackAddressFile), block);
  const placeAt = (address: string | undefined): NetworkPlace | undefined =>
    address === undefined ? undefined : { address };
  return {
    make: 'loopback',
    hostAddress,
    join: async (uid) => placeAt(await table.claim(uid)),
    find: (uid) => placeAt(table.find(uid)),
    leave: (uid) => table.release(uid),
    members: () => table.owners(),
    close: () => Promise.resolve(),
  };
}
