import { isDeepStrictEqual } from 'node:util';
import type { Node } from '../../kinds/core/node.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { milliUnits, wholeUnits } from '../../kinds/core/resource-amounts.ts';

/** Whether the pods of a daemon set are meant for a node. Nodes that are unschedulable or not ready are no exception, as in the reference. */
export function isMeantFor({ nodeName, nodeSelector = {} }: PodSpec, { metadata }: Node): boolean {
  if (nodeName && nodeName !== metadata.name) return false;
  const { labels = {} } = metadata;
  return Object.entries(nodeSelector).every(([label, value]) => labels[label] === value);
}

/** Why a pod cannot run on a node besides what runs there; nothing when it can. */
export function obstacleTo(pod: PodSpec, node: Node, others: readonly PodSpec[]): string | undefined {
  if (isOutOfDisk(node)) return 'it is out of disk space';
  const all = [...others, pod];
  const { cpu, memory } = node.status.allocatable ?? node.status.capacity ?? {};
  // As in the reference a node that does not say how much it has has enough.
  if (exceeds(all, milliUnits(cpu), ({ cpu: amount }) => milliUnits(amount))) return 'there is not enough CPU left';
  if (exceeds(all, wholeUnits(memory), ({ memory: amount }) => wholeUnits(amount)))
    return 'there is not enough memory left';
  const taken = new Set(others.flatMap(hostPortsOf));
  const port = hostPortsOf(pod).find((wanted) => taken.has(wanted));
  if (port !== undefined) return `host port ${port} is taken`;
  return undefined;
}

function isOutOfDisk({ status }: Node): boolean {
  return status.conditions?.some(({ type, status: is }) => type === 'OutOfDisk' && is === 'True') ?? false;
}

type Requests = Readonly<Record<string, string>>;

function exceeds(pods: readonly PodSpec[], offered: number, read: (requests: Requests) => number): boolean {
  if (offered === 0) return false;
  let asked = 0;
  for (const { containers } of pods) {
    for (const { resources } of containers) asked += read(resources?.requests ?? {});
  }
  return asked > offered;
}

function hostPortsOf({ containers }: PodSpec): string[] {
  const ports = containers.flatMap(({ ports = [] }) => ports).filter(({ hostPort }) => hostPort);
  return ports.map(({ hostPort, protocol = 'TCP' }) => `${hostPort}/${protocol}`);
}

/** Whether a change of a node may change which daemon sets run there. Most changes only say that the node is still there. */
export function isOtherFit(before: Node, after: Node): boolean {
  return !isDeepStrictEqual(fitOf(before), fitOf(after));
}

function fitOf(node: Node): object {
  const { allocatable, capacity } = node.status;
  return { labels: node.metadata.labels, allocatable, capacity, isOutOfDisk: isOutOfDisk(node) };
}
