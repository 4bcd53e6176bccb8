import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { milliUnits, wholeUnits } from '../../kinds/core/resource-amounts.ts';
import { hostPortsOf, type HostPortWish } from '../host-ports/host-port-wish.ts';

/** Why a node does not run a pod that was put on it. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Looks whether a pod can run on a node beside those that it has already; nothing when it can. The reasons are those of the reference. */
export function refusalOf(pod: Pod, node: Node, others: readonly Pod[]): Refusal | undefined {
  return labelRefusal(pod, node) ?? portRefusal(pod, others) ?? resourceRefusal(pod, node, others);
}

function labelRefusal({ spec }: Pod, { metadata }: Node): Refusal | undefined {
  for (const [label, value] of Object.entries(spec.nodeSelector ?? {})) {
    if (metadata.labels?.[label] === value) continue;
    return { reason: 'MatchNodeSelector', message: `the pod asks for a node with ${label}=${value}` };
  }
  return undefined;
}

function portRefusal(pod: Pod, others: readonly Pod[]): Refusal | undefined {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return undefined;
  for (const other of others) {
    const taken = hostPortsOf(other).find((port) => wanted.some((ours) => collide(ours, port)));
    if (!taken) continue;
    const { namespace, name } = other.metadata;
    return {
      reason: 'PodFitsHostPorts',
      message: `port ${taken.port} of the node belongs to pod ${namespace}/${name}`,
    };
  }
  return undefined;
}

function collide(a: HostPortWish, b: HostPortWish): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return isAnyAddress(a) || isAnyAddress(b) || a.address === b.address;
}

function isAnyAddress({ address }: HostPortWish): boolean {
  return address === '' || address === '0.0.0.0';
}

function resourceRefusal(pod: Pod, { status }: Node, others: readonly Pod[]): Refusal | undefined {
  const has = status.allocatable ?? status.capacity ?? {};
  const most = has['pods'] === undefined ? Infinity : wholeUnits(has['pods']);
  if (others.length >= most) return outOf('PodCount', { asked: 1, used: others.length, has: most });
  for (const { resource, shown, unit } of measures) {
    const asked = requestOf(pod, resource, unit);
    if (asked === 0 || has[resource] === undefined) continue;
    const used = others.reduce((sum, other) => sum + requestOf(other, resource, unit), 0);
    if (used + asked > unit(has[resource])) return outOf(shown, { asked, used, has: unit(has[resource]) });
  }
  return undefined;
}

/** Processor time in thousandths, memory in bytes. */
const measures = [
  { resource: 'cpu', shown: 'CPU', unit: milliUnits },
  { resource: 'memory', shown: 'Memory', unit: wholeUnits },
] as const;

function requestOf({ spec }: Pod, resource: string, unit: (amount: string | undefined) => number): number {
  return spec.containers.reduce((sum, { resources }) => sum + unit(resources?.requests?.[resource]), 0);
}

function outOf(resource: string, { asked, used, has }: { asked: number; used: number; has: number }): Refusal {
  return {
    reason: `OutOf${resource}`,
    message: `the node has not enough ${resource}: asked for are ${asked}, in use are ${used} of ${has}`,
  };
}
