import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import { parseBlock } from '../../../simulated/address-block.ts';
import { findProgram, type HostTools } from '../host-tools.ts';
import { loopbackAddressFile, openLoopbackNetwork } from './loopback-network.ts';
import { networkRegistry } from './network-registry.ts';
import type { PodNetwork, PodNetworkMake } from './pod-network.ts';
import { networkShell } from './veth/network-shell.ts';
import { openVethNetwork, removeVethNetwork } from './veth/veth-network.ts';

export interface PodNetworkOptions {
  readonly make: PodNetworkMake;
  /** The node's own directory, which the caller has locked. */
  readonly directory: string;
  readonly tools: HostTools;
  /** For loopback. */
  readonly addressRange?: string;
  readonly addressRegistry?: string;
  readonly hostAddress?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const defaultRange = '127.64.0.0/10';

/** Opens a network of the make that is asked for, and removes what one of the other make has left in the same directory. */
export async function openPodNetwork(options: PodNetworkOptions): Promise<PodNetwork> {
  return options.make === 'veth' ? openVeth(options) : openLoopback(options);
}

async function openVeth({ directory, tools, clock, logger }: PodNetworkOptions): Promise<PodNetwork> {
  await rm(join(directory, loopbackAddressFile), { force: true });
  const shell = networkShell(tools, clock);
  return openVethNetwork({ shell, registry: networkRegistry(), directory, logger });
}

async function openLoopback(options: PodNetworkOptions): Promise<PodNetwork> {
  const { directory, tools, clock, addressRange = defaultRange } = options;
  const range = parseBlock(addressRange);
  if (!range || !range.cidr.startsWith('127.')) throw new Error(`${addressRange} is no block of addresses within 127.0.0.0/8`); // prettier-ignore
  if (findProgram('ip') !== undefined) await removeVethNetwork(networkShell(tools, clock), directory);
  return openLoopbackNetwork({
    range,
    registry: options.addressRegistry ?? join(tmpdir(), 'wherry-pod-addresses'),
    directory,
    hostAddress: options.hostAddress ?? '127.0.0.1',
  });
}
