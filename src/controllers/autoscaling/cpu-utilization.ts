import type { SelectionOptions } from '../../client/client.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { isActive } from '../../kinds/core/pod/pod-state.ts';
import { milliUnits } from '../../kinds/core/resource-amounts.ts';
import { MeasurementError } from './measurement-error.ts';
import type { UsageSource } from './usage-source.ts';

export interface Utilization {
  /** Share of the requested CPU that is used, in percent. */
  readonly percentage: number;
  /** How many pods were measured. */
  readonly pods: number;
}

/** How busy pods are on average. Pods that do not run yet are left out; all others must ask for CPU and be measured. */
export async function measureCpu(
  pods: readonly Pod[],
  usage: UsageSource,
  selection: SelectionOptions,
): Promise<Utilization> {
  const running = pods.filter((pod) => isActive(pod) && (pod.status.phase ?? 'Pending') !== 'Pending');
  if (running.length === 0) throw new MeasurementError('no pod is running');
  const requested = running.reduce((sum, pod) => sum + requestedCpu(pod), 0);
  const used = await usage.cpuOf(running, selection);
  const unknown = running.filter(({ metadata }) => !used.has(metadata.uid ?? ''));
  if (unknown.length > 0) {
    throw new MeasurementError(`the CPU usage of ${unknown.length} of ${running.length} pods is not known`);
  }
  const total = running.reduce((sum, { metadata }) => sum + (used.get(metadata.uid ?? '') ?? 0), 0);
  return { percentage: Math.floor((100 * total) / requested), pods: running.length };
}

function requestedCpu({ metadata, spec }: Pod): number {
  let sum = 0;
  for (const { name, resources } of spec.containers) {
    const amount = milliUnits(resources?.requests?.['cpu']);
    if (amount === 0) throw new MeasurementError(`container ${name} of pod ${metadata.name} does not request CPU`);
    sum += amount;
  }
  return sum;
}
