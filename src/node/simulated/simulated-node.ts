import type { Node } from '../../kinds/core/node.ts';
import { wholeUnits } from '../../kinds/core/resource-amounts.ts';
import { parseBlock, subBlocks, type AddressBlock } from './address-block.ts';
import { AddressPool } from './address-pool.ts';
import type { NodeCapacity, NodeIdentity } from './node-object.ts';

/** Pods of simulated nodes get their addresses out of this. */
const podAddresses = parseBlock('10.64.0.0/10')!;
/** The nodes themselves. */
const nodeAddresses = parseBlock('172.16.0.0/12')!;
/** Blocks are multiples of 256 addresses. */
const unitBits = 8;
const unitSize = 2 ** unitBits;

/** A simulated node and the addresses that it gives to pods. */
export interface SimulatedNode {
  readonly identity: NodeIdentity;
  readonly addresses: AddressPool;
}

export interface PlanNodesOptions {
  readonly names: readonly string[];
  readonly capacity: NodeCapacity;
  readonly labels: Readonly<Record<string, string>>;
  readonly bootID: string;
  /** Nodes that are there, these ones and others: what they have is not given out again. */
  readonly existing: readonly Node[];
}

/** Gives each node its addresses; one that was there before keeps what it had. Throws a `RangeError` when there are not enough. */
export function planNodes({ names, capacity, labels, bootID, existing }: PlanNodesOptions): Map<string, SimulatedNode> {
  const known = new Map(existing.map((node) => [node.metadata.name, node]));
  const blocks = freeBlocks(wholeUnits(capacity.pods), existing);
  const addresses = freeAddresses(existing);
  const nodes = new Map<string, SimulatedNode>();
  for (const name of names) {
    if (nodes.has(name)) throw new RangeError(`there cannot be two nodes named ${name}`);
    const before = known.get(name);
    const block = parseBlock(before?.spec.podCIDR ?? '') ?? takeNext(blocks, names.length);
    const address = (before && addressOf(before)) ?? takeNext(addresses, names.length);
    const identity = { name, address, podCIDR: block.cidr, bootID, capacity, labels };
    nodes.set(name, { identity, addresses: new AddressPool(block) });
  }
  return nodes;
}

/** Blocks large enough for so many pods that have no address in common with any that a node has. */
function* freeBlocks(pods: number, existing: readonly Node[]): Generator<AddressBlock> {
  const taken = new Set(existing.flatMap(({ spec }) => unitsOf(parseBlock(spec.podCIDR ?? ''))));
  // Besides the pods, the first and the last address.
  const bits = Math.max(unitBits, Math.ceil(Math.log2(pods + 2)));
  for (const block of subBlocks(podAddresses, bits)) {
    if (!unitsOf(block).some((unit) => taken.has(unit))) yield block;
  }
}

/** The parts of `podAddresses`, by number, that a block has addresses in. */
function unitsOf(block: AddressBlock | undefined): number[] {
  const first = block && podAddresses.positionOf(block.at(0));
  if (!block || first === undefined) return [];
  const units = Math.max(1, Math.min(block.size, podAddresses.size) / unitSize);
  return Array.from({ length: units }, (_, i) => Math.floor(first / unitSize) + i);
}

function* freeAddresses(existing: readonly Node[]): Generator<string> {
  const taken = new Set(existing.map(addressOf));
  for (let position = 1; position < nodeAddresses.size - 1; position++) {
    const address = nodeAddresses.at(position);
    if (!taken.has(address)) yield address;
  }
}

function addressOf({ status }: Node): string | undefined {
  return status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
}

function takeNext<T>(source: Generator<T>, nodes: number): T {
  const { value, done } = source.next();
  if (done) throw new RangeError(`there are not enough addresses for ${nodes} nodes with so many pods`);
  return value;
}
