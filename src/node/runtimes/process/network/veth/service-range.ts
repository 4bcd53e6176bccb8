import { resolve } from 'node:path';
import type { Clock } from '../../../../../base/clock.ts';
import { parseBlock } from '../../../../simulated/address-block.ts';
import { findHostTools } from '../../host-tools.ts';
import { networkRegistry } from '../network-registry.ts';
import { chooseBlock } from './choose-block.ts';
import { networkNames, type NetworkNames } from './network-names.ts';
import { networkShell, type NetworkShell } from './network-shell.ts';
import { removeRoutes } from './remove-network.ts';
import { readUsedNetworks } from './used-networks.ts';

/** Whose range it is. */
export interface RangeOwner {
  /** The directory of the node that makes services reachable on this machine. */
  readonly directory: string;
  readonly clock: Clock;
}

/** A range for the services of a cluster that pods with networks of their own can reach: no other cluster's of this machine, and no network's. */
export async function chooseServiceRange(owner: RangeOwner): Promise<string> {
  const { shell, names, directory } = partsOf(owner);
  const used = await readUsedNetworks(shell, names);
  return (await chooseBlock({ purpose: 'services', used, registry: networkRegistry(), owner: directory })).cidr;
}

/** Takes back what an earlier run of the same directory has left. */
export async function removeServiceRange(owner: RangeOwner): Promise<void> {
  const { shell, names } = partsOf(owner);
  await shell.run(removeRoutes(shell.ip, names));
}

/** Whether the machine reaches no other network at these addresses. */
export async function isFreeRange(cidr: string, owner: RangeOwner): Promise<boolean> {
  const { shell, names } = partsOf(owner);
  const block = parseBlock(cidr);
  return block !== undefined && (await readUsedNetworks(shell, names)).isFree(block);
}

/**
 * Makes all addresses of a range the machine's own, so that ports can be opened on them and pods reach them over their bridge. What an earlier run of the
 * same directory left goes. Needs root. The result takes it back.
 */
export async function openServiceRange(cidr: string, owner: RangeOwner): Promise<() => Promise<void>> {
  const { shell, names } = partsOf(owner);
  const remove = removeRoutes(shell.ip, names);
  await shell.run(`${remove}\n${shell.ip} route add local ${cidr} dev lo metric ${names.routeMetric}`);
  return () => removeServiceRange(owner);
}

interface OwnerParts {
  readonly shell: NetworkShell;
  readonly names: NetworkNames;
  readonly directory: string;
}

function partsOf({ directory, clock }: RangeOwner): OwnerParts {
  const own = resolve(directory);
  return { shell: networkShell(findHostTools(), clock), names: networkNames(own), directory: own };
}
