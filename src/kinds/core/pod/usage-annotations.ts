import type { Pod } from '../pod.ts';
import { canonicalAmount, milliUnits, wholeUnits } from '../resource-amounts.ts';

/** How much a pod on a simulated node uses, all containers together: `250m`, `64Mi`. May be changed while the pod runs. */
export const cpuUsageAnnotation = 'simulated.wherry.dev/cpu-usage';
export const memoryUsageAnnotation = 'simulated.wherry.dev/memory-usage';

/** What a pod uses at this moment, as far as that is known. */
export interface PodUsage {
  /** Processor time in thousandths. */
  readonly cpu?: number;
  /** Bytes. */
  readonly memory?: number;
}

/** What a pod's annotations say that it uses; nothing for what is not said or cannot be read. A pod that does not run uses nothing: ask its phase. */
export function annotatedUsage({ metadata: { annotations = {} } }: Pod): PodUsage {
  const cpu = canonicalAmount(annotations[cpuUsageAnnotation]);
  const memory = canonicalAmount(annotations[memoryUsageAnnotation]);
  return {
    ...(cpu !== undefined && { cpu: milliUnits(cpu) }),
    ...(memory !== undefined && { memory: wholeUnits(memory) }),
  };
}
