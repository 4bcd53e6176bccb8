import { isDeepStrictEqual } from 'node:util';
import type { Node } from '../kinds/core/node.ts';
import { milliUnits, wholeUnits } from '../kinds/core/resource-amounts.ts';
import { DisksInUse } from './disk.ts';
import { TakenPorts } from './host-port.ts';
import type { PodNeeds } from './pod-needs.ts';
import { taintsOf, type Taint } from './taint.ts';

/** What the scheduler looks at in a node. */
export interface NodeOffer {
  /** Processor time for pods, in thousandths. */
  readonly cpu: number;
  /** Bytes for pods. */
  readonly memory: number;
  /** How many pods it takes. */
  readonly pods: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Nothing when they cannot be read. */
  readonly taints: readonly Taint[] | undefined;
  readonly isReady: boolean;
  readonly hasDiskSpace: boolean;
  readonly isUnschedulable: boolean;
  /** Where the node stands, as far as it says so; nodes of one zone tend to fail together. */
  readonly zone: string;
}

export const zoneLabel = 'failure-domain.beta.kubernetes.io/zone';
export const regionLabel = 'failure-domain.beta.kubernetes.io/region';

export function offerOf({ metadata, spec, status }: Node): NodeOffer {
  const { labels = {}, annotations } = metadata;
  const { cpu, memory, pods } = status.allocatable ?? status.capacity ?? {};
  const conditions = new Map((status.conditions ?? []).map(({ type, status }) => [type, status]));
  const [region, zone] = [labels[regionLabel] ?? '', labels[zoneLabel] ?? ''];
  return {
    cpu: milliUnits(cpu),
    memory: wholeUnits(memory),
    pods: wholeUnits(pods),
    labels,
    taints: taintsOf(annotations),
    // As in the reference a node that says nothing about itself is in order.
    isReady: (conditions.get('Ready') ?? 'True') === 'True',
    hasDiskSpace: (conditions.get('OutOfDisk') ?? 'False') === 'False',
    isUnschedulable: spec.unschedulable === true,
    zone: region || zone ? `${region}/${zone}` : '',
  };
}

/**
 * A node and the sums over the pods on it, so that looking at a node never means looking at its pods. Pods may be on a node that is not
 * there (yet, or any more): then it has no offer.
 */
export class NodeState {
  readonly name: string;
  offer: NodeOffer | undefined;
  pods = 0;
  cpu = 0;
  memory = 0;
  likelyCpu = 0;
  likelyMemory = 0;
  readonly ports = new TakenPorts();
  readonly disks = new DisksInUse();

  constructor(name: string) {
    this.name = name;
  }

  /** Whether that changes anything: most writes of a node only say that it is still there. */
  setOffer(offer: NodeOffer | undefined): boolean {
    if (isDeepStrictEqual(this.offer, offer)) return false;
    this.offer = offer;
    return true;
  }

  add(pod: PodNeeds): void {
    this.#count(pod, 1);
    for (const port of pod.hostPorts) this.ports.add(port);
    for (const disk of pod.disks) this.disks.add(disk);
  }

  remove(pod: PodNeeds): void {
    this.#count(pod, -1);
    for (const port of pod.hostPorts) this.ports.remove(port);
    for (const disk of pod.disks) this.disks.remove(disk);
  }

  #count(pod: PodNeeds, sign: 1 | -1): void {
    this.pods += sign;
    this.cpu += sign * pod.cpu;
    this.memory += sign * pod.memory;
    this.likelyCpu += sign * pod.likelyCpu;
    this.likelyMemory += sign * pod.likelyMemory;
  }
}

/** A node that is there. */
export type OfferingNode = NodeState & { readonly offer: NodeOffer };

export function isOffering(node: NodeState): node is OfferingNode {
  return node.offer !== undefined;
}
