import type { Pod } from '../../kinds/core/pod.ts';
import { annotatedUsage } from '../../kinds/core/pod/usage-annotations.ts';

/** Where autoscaling learns how busy pods are. */
export interface UsageSource {
  /** Processor time that each pod uses, in thousandths, by its uid. Pods of which that is not known are left out. */
  cpuOf(pods: readonly Pod[]): Promise<ReadonlyMap<string, number>>;
}

/** Reads what the pods' own annotations say. */
export const annotatedUsageSource: UsageSource = {
  cpuOf(pods) {
    const known = pods.flatMap((pod) => {
      const { cpu } = annotatedUsage(pod);
      return cpu === undefined ? [] : [[pod.metadata.uid ?? '', cpu] as const];
    });
    return Promise.resolve(new Map(known));
  },
};
