import type { Pod } from '../../kinds/core/pod.ts';
import { annotatedUsage } from '../../kinds/core/pod/usage-annotations.ts';
import type { ContainerUsage, MeasuredUsage } from './node-summary.ts';

/** The span of what annotations say, which holds at any moment. */
const windowMs = 10_000;

/** What containers use by the annotations of their pod. These speak of the whole pod: each container is given the same share. */
export function annotatedContainers(pod: Pod, now: number): readonly ContainerUsage[] {
  const { cpu, memory } = annotatedUsage(pod);
  if (cpu === undefined && memory === undefined) return [];
  const { containers } = pod.spec;
  const share = { cpuNanos: ((cpu ?? 0) * 1e6) / containers.length, memoryBytes: (memory ?? 0) / containers.length };
  return containers.map(({ name }) => ({ name, at: now, windowMs, ...share }));
}

/** What the pods of each node use by their annotations, all together, by name of the node. */
export function annotatedSums(pods: readonly Pod[], now: number): ReadonlyMap<string, MeasuredUsage> {
  const sums = new Map<string, MeasuredUsage>();
  for (const pod of pods) {
    const { nodeName = '' } = pod.spec;
    const before = sums.get(nodeName) ?? annotatedNothing(now);
    sums.set(nodeName, annotatedContainers(pod, now).reduce(add, before));
  }
  return sums;
}

export function annotatedNothing(now: number): MeasuredUsage {
  return { at: now, windowMs, cpuNanos: 0, memoryBytes: 0 };
}

function add(sum: MeasuredUsage, { cpuNanos, memoryBytes }: MeasuredUsage): MeasuredUsage {
  return { ...sum, cpuNanos: sum.cpuNanos + cpuNanos, memoryBytes: sum.memoryBytes + memoryBytes };
}
