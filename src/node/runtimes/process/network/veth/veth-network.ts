import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../../../base/logger.ts';
import { readFileIfThere, replacePrivateFile } from '../../../../../base/private-file.ts';
import { parseBlock, type AddressBlock } from '../../../../simulated/address-block.ts';
import { AddressTable } from '../../addresses/address-table.ts';
import { claimThisBlock } from '../../addresses/claim-block.ts';
import type { NetworkPlace, PodNetwork } from '../pod-network.ts';
import { chooseBlock } from './choose-block.ts';
import { attachScript, bridgeScript, joinScript, type BridgeLink } from './link-scripts.ts';
import { namespaceDirectory, networkNames, type NetworkNames } from './network-names.ts';
import type { NetworkShell } from './network-shell.ts';
import { closeOutside, openOutside } from './outside.ts';
import { findParts, removeForsaken, removeNetwork, removePods, type FoundParts } from './remove-network.ts';
import { readUsedNetworks } from './used-networks.ts';

export interface VethNetworkOptions {
  readonly shell: NetworkShell;
  /** A directory that all nodes of this machine share, where they note which addresses are theirs. */
  readonly registry: string;
  /** The node's own directory; the names of all parts follow from it. */
  readonly directory: string;
  readonly logger: Logger;
}

/** Files in the node's directory: which block is the node's, and which pod has which address of it. */
const stateFile = 'network.json';
const addressFile = 'network-addresses.json';

/**
 * Each pod has a network namespace, linked to a bridge of the node. The block of addresses and the names of all parts are on disk before anything is
 * made, so that an agent that is killed at any moment leaves nothing that the next one does not find: it takes up the pods that are whole and
 * removes what is left of others. Needs root.
 */
export async function openVethNetwork(options: VethNetworkOptions): Promise<PodNetwork> {
  const { shell, registry, directory, logger } = options;
  await removeForsaken(shell, registry, logger);
  const names = networkNames(directory);
  const block = await ownBlock(options, names);
  await replacePrivateFile(join(directory, stateFile), JSON.stringify({ block: block.cidr }));
  const bridge: BridgeLink = {
    bridge: names.bridge,
    address: block.at(1),
    prefixLength: Number(block.cidr.split('/')[1]),
    mtu: await readMtu(shell),
  };
  await shell.run(bridgeScript(shell.ip, bridge));
  await openOutside({ shell, names, cidr: block.cidr, logger });
  const addresses = await AddressTable.open(join(directory, addressFile), block, [bridge.address]);
  const network = new VethNetwork({ ...options, names, block, bridge, addresses });
  await network.takeUp();
  return network;
}

/** Removes what an earlier agent of this directory made, when pods are to be on the machine's network from now on. */
export async function removeVethNetwork(shell: NetworkShell, directory: string): Promise<void> {
  const cidr = await storedCidr(directory);
  if (cidr !== undefined) await removeAll(shell, directory, cidr);
}

/** Whether an agent of this directory has made a network that is still there, or was killed while it did. */
export async function hasVethNetwork(directory: string): Promise<boolean> {
  return (await storedCidr(directory)) !== undefined;
}

async function storedCidr(directory: string): Promise<string | undefined> {
  const text = await readFileIfThere(join(directory, stateFile));
  return text === undefined ? undefined : (JSON.parse(text) as { block: string }).block;
}

async function removeAll(shell: NetworkShell, directory: string, cidr: string): Promise<void> {
  const names = networkNames(directory);
  await closeOutside(shell, names, cidr);
  await removeNetwork(shell, names);
  for (const file of [addressFile, stateFile]) await rm(join(directory, file), { force: true });
}

/** The block of before, while it is still nobody else's: pods may run with its addresses. */
async function ownBlock(options: VethNetworkOptions, names: NetworkNames): Promise<AddressBlock> {
  const { shell, registry, directory } = options;
  const used = await readUsedNetworks(shell, names);
  const stored = parseBlock((await storedCidr(directory)) ?? '');
  if (stored && used.isFree(stored) && (await claimThisBlock(stored, registry, directory))) return stored;
  const block = await chooseBlock({ purpose: 'pods', used, registry, owner: directory });
  // Nothing of an earlier one fits any more.
  await removeAll(shell, directory, (stored ?? block).cidr);
  return block;
}

const usualMtu = 1500;

/** Packets to the outside have to fit the way there. */
async function readMtu({ ip, run }: NetworkShell): Promise<number> {
  const device = /\bdev (\S+)/.exec(await run(`${ip} -4 route show default`))?.[1];
  if (device === undefined) return usualMtu;
  const mtu = Number(await readFile(`/sys/class/net/${device}/mtu`, 'utf8').catch(() => ''));
  return mtu > 0 ? Math.min(mtu, usualMtu) : usualMtu;
}

interface VethNetworkParts extends VethNetworkOptions {
  readonly names: NetworkNames;
  readonly block: AddressBlock;
  readonly bridge: BridgeLink;
  readonly addresses: AddressTable;
}

class VethNetwork implements PodNetwork {
  readonly make = 'veth';
  readonly #parts: VethNetworkParts;
  /** Pods whose namespace is whole, or about to be. */
  readonly #joined = new Map<string, Promise<NetworkPlace>>();

  constructor(parts: VethNetworkParts) {
    this.#parts = parts;
  }

  get hostAddress(): string {
    return this.#parts.bridge.address;
  }

  /** Finds the pods that are whole, and removes everything else that bears the node's name. */
  async takeUp(): Promise<void> {
    const { shell, names, block, addresses } = this.#parts;
    const found = await findParts(shell, names);
    const whole = new Set<number>();
    for (const uid of addresses.owners()) {
      const address = addresses.find(uid)!;
      const position = block.positionOf(address);
      if (position === undefined) await addresses.release(uid);
      else if (isWhole(found, names, position)) {
        whole.add(position);
        this.#joined.set(uid, Promise.resolve(this.#placeOf(address, position)));
      }
    }
    const broken = Array.from({ length: block.size }, (_, position) => position).filter(
      (position) => !whole.has(position) && isThere(found, names, position),
    );
    await removePods(shell, names, broken);
    await shell.run(attachScript(shell.ip, Array.from(whole, names.linkOf), this.#parts.bridge));
  }

  async join(uid: string): Promise<NetworkPlace | undefined> {
    const { addresses, block } = this.#parts;
    const address = await addresses.claim(uid);
    if (address === undefined) return undefined;
    let joining = this.#joined.get(uid);
    if (!joining) {
      joining = this.#make(address, block.positionOf(address)!);
      this.#joined.set(uid, joining);
      joining.catch(() => this.#joined.delete(uid));
    }
    return joining;
  }

  find(uid: string): NetworkPlace | undefined {
    const address = this.#parts.addresses.find(uid);
    return address === undefined || !this.#joined.has(uid)
      ? undefined
      : this.#placeOf(address, this.#parts.block.positionOf(address)!);
  }

  async leave(uid: string): Promise<void> {
    const { shell, names, block, addresses } = this.#parts;
    const address = addresses.find(uid);
    if (address === undefined) return;
    await this.#joined.get(uid)?.catch(() => undefined);
    await removePods(shell, names, [block.positionOf(address)!]);
    this.#joined.delete(uid);
    await addresses.release(uid);
  }

  members(): readonly string[] {
    return this.#parts.addresses.owners();
  }

  async close(): Promise<void> {
    const { shell, directory, block } = this.#parts;
    if (this.members().length === 0) await removeAll(shell, directory, block.cidr);
  }

  async #make(address: string, position: number): Promise<NetworkPlace> {
    const { shell, names, bridge } = this.#parts;
    const place = this.#placeOf(address, position);
    const link = { link: names.linkOf(position), namespace: names.namespaceOf(position), address };
    try {
      await shell.run(joinScript(shell.ip, link, bridge));
    } catch (error) {
      await removePods(shell, names, [position]);
      throw error;
    }
    return place;
  }

  #placeOf(address: string, position: number): NetworkPlace {
    return { address, namespace: join(namespaceDirectory, this.#parts.names.namespaceOf(position)) };
  }
}

function isWhole({ links, namespaces }: FoundParts, names: NetworkNames, position: number): boolean {
  return links.has(names.linkOf(position)) && namespaces.has(names.namespaceOf(position));
}

function isThere({ links, namespaces }: FoundParts, names: NetworkNames, position: number): boolean {
  return links.has(names.linkOf(position)) || namespaces.has(names.namespaceOf(position));
}
