import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { readFileIfThere, replacePrivateFile } from '../base/private-file.ts';
import { claimDirectory } from '../storage/lmdb/owner-file.ts';
import { OptionsError, type NodesChoice, type StorageChoice } from '../cluster-options.ts';
import type { PodNetworkMake } from '../node/runtimes/process/network/pod-network.ts';
import type { ClosingList } from './closing-list.ts';

export interface ClusterNetworkOptions {
  readonly storage: StorageChoice;
  readonly nodes: NodesChoice;
  /** The range for services that was asked for. */
  readonly serviceClusterIpRange?: string;
  /** Whether there are services already. */
  readonly hasServices: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Where a cluster's services and the pods of its own node are on the network. */
export interface ClusterNetwork {
  readonly serviceRange: string;
  /** Whether every address of that range is this machine's for as long as the cluster is open. */
  readonly isRangeOpen: boolean;
  /** The node with real processes, where the cluster has one. */
  readonly node?: NodePlace;
}

export interface NodePlace {
  /** Where it keeps what it runs. */
  readonly directory: string;
  readonly network: PodNetworkMake;
}

/** Without nodes that could reach them, as in the reference's examples. */
const usualRange = '10.0.0.0/16';
/** Reached on the machine itself, without any rights. */
const loopbackRange = '127.128.0.0/16';
/** In the data directory: the range that services of this cluster have their addresses from. */
const rangeFile = 'service-cluster-ip-range';

/**
 * Decides how pods get their addresses and where services have theirs. A range that was asked for wins, then the one that the data directory was used with
 * before: services keep their addresses. Fails with `OptionsError` where what was asked for cannot be had.
 */
export async function openClusterNetwork(options: ClusterNetworkOptions, opened: ClosingList): Promise<ClusterNetwork> {
  const { storage, nodes, serviceClusterIpRange: given } = options;
  const node = await openNodeDirectory(options, opened);
  // Embedders who say nothing about networks get what they always got.
  if (nodes.podNetwork === undefined) {
    return { serviceRange: given ?? usualRange, isRangeOpen: false, node: node && { ...node, network: 'loopback' } };
  }
  const stored = await storedRange(options);
  const range = given ?? stored;
  const obstacle = node ? await obstacleTo(range, { ...options, directory: node.directory }) : 'it has no real node';
  const network = obstacle === undefined ? 'veth' : 'loopback';
  const serviceRange = range ?? (network === 'veth' ? await chooseRange(node!, options) : loopbackRange);
  const mustOpen = network === 'veth' || (given === undefined && !isLoopback(serviceRange));
  const isRangeOpen = mustOpen && node !== undefined && (await openRange(serviceRange, { ...options, ...node, network }, opened)); // prettier-ignore
  if (!mustOpen && node && stored !== undefined && !isLoopback(stored)) await removeRange(node, options);
  if (storage.make !== 'memory') await storeRange(storage.directory, serviceRange);
  return { serviceRange, isRangeOpen, node: node && { ...node, network } };
}

async function openNodeDirectory(
  { storage, nodes }: ClusterNetworkOptions,
  opened: ClosingList,
): Promise<Pick<NodePlace, 'directory'> | undefined> {
  if (nodes.runtime !== 'process' || nodes.count === 0) return undefined;
  if (storage.make !== 'memory') {
    const directory = join(storage.directory, 'node');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Other servers may share the data directory where objects are in etcd, but not a node.
    if (storage.make === 'etcd') {
      const ownership = await claimDirectory(directory);
      opened.add(() => ownership.release());
    }
    return { directory };
  }
  const directory = await mkdtemp(join(tmpdir(), 'wherry-node-'));
  opened.add(() => rm(directory, { recursive: true, force: true }));
  return { directory };
}

/** Data directories from before there was a choice had services on the loopback network. */
async function storedRange({ storage, hasServices }: ClusterNetworkOptions): Promise<string | undefined> {
  if (storage.make === 'memory') return undefined;
  const text = await readFileIfThere(join(storage.directory, rangeFile));
  if (text !== undefined) return text.trim();
  return hasServices ? loopbackRange : undefined;
}

async function storeRange(directory: string, range: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await replacePrivateFile(join(directory, rangeFile), `${range}\n`);
}

type NodeParts = ClusterNetworkOptions & Pick<NodePlace, 'directory'>;

/** Why pods do not get networks of their own; nothing when they do. Fails when they were to. */
async function obstacleTo(range: string | undefined, parts: NodeParts): Promise<string | undefined> {
  const { podNetwork } = parts.nodes;
  if (podNetwork === 'loopback') return 'nobody asked for it';
  const obstacle = await findObstacle(range, parts);
  if (obstacle === undefined) return undefined;
  if (podNetwork === 'veth') throw new OptionsError(`pods cannot have networks of their own: ${obstacle}`);
  parts.logger.info('pods have loopback addresses, on the network of this machine', { because: obstacle });
  return obstacle;
}

async function findObstacle(
  range: string | undefined,
  { nodes, directory, clock }: NodeParts,
): Promise<string | undefined> {
  if (range !== undefined && isLoopback(range)) {
    return `services have addresses of ${range}, which only programs on the network of this machine reach`;
  }
  const { canLeadOutside } = await import('../node/runtimes/process/network/veth/outside.ts');
  // Whoever did not ask for it would rather share the network than be cut off from others; where services have their addresses already, it is too late for that.
  if (nodes.podNetwork === 'auto' && range === undefined && !canLeadOutside()) {
    return 'they could not reach other machines: there is neither nft nor iptables to lead them there';
  }
  const { whyNoVeth } = await import('../node/runtimes/process/network/veth/try-out.ts');
  const obstacle = await whyNoVeth({ directory, clock });
  if (obstacle !== undefined || range === undefined) return obstacle;
  const { isFreeRange } = await import('../node/runtimes/process/network/veth/service-range.ts');
  const isFree = await isFreeRange(range, { directory, clock });
  return isFree ? undefined : `services have addresses of ${range}, where this machine reaches another network`;
}

async function chooseRange(
  { directory }: Pick<NodePlace, 'directory'>,
  { clock }: ClusterNetworkOptions,
): Promise<string> {
  const { chooseServiceRange } = await import('../node/runtimes/process/network/veth/service-range.ts');
  return chooseServiceRange({ directory, clock });
}

async function openRange(range: string, options: NodeParts & NodePlace, opened: ClosingList): Promise<boolean> {
  const { openServiceRange } = await import('../node/runtimes/process/network/veth/service-range.ts');
  try {
    opened.add(await openServiceRange(range, options));
    return true;
  } catch (error) {
    if (options.network === 'veth') throw error;
    options.logger.warn('services cannot be reached: their addresses were chosen for pods with networks of their own, which needs root', { range, error }); // prettier-ignore
    return false;
  }
}

/** One that a killed process may have left open and that is not used any more. */
async function removeRange(
  { directory }: Pick<NodePlace, 'directory'>,
  { clock }: ClusterNetworkOptions,
): Promise<void> {
  const { removeServiceRange } = await import('../node/runtimes/process/network/veth/service-range.ts');
  // Without root there is nothing that could be removed.
  await removeServiceRange({ directory, clock }).catch(() => undefined);
}

function isLoopback(range: string): boolean {
  return range.startsWith('127.');
}
