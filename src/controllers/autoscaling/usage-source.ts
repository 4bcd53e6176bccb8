import type { Reader, SelectionOptions } from '../../client/client.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { annotatedUsage } from '../../kinds/core/pod/usage-annotations.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { podMetrics, type PodMetrics } from '../../kinds/metrics/pod-metrics.ts';
import { cpuMillis } from '../../kinds/metrics/usage-amounts.ts';
import { MeasurementError } from './measurement-error.ts';

/** Where autoscaling learns how busy pods are. */
export interface UsageSource {
  /**
   * Processor time that each pod uses, in thousandths, by its uid. Pods of which that is not known are left out. The selection is the one that the pods were
   * found by.
   */
  cpuOf(pods: readonly Pod[], selection: SelectionOptions): Promise<ReadonlyMap<string, number>>;
}

/**
 * Asks the server, which asks the nodes. A server that does not tell usage leaves what the pods' own annotations say, which is also what counts where the
 * server knows nothing of a pod.
 */
export function measuredUsage(client: Pick<Reader, 'list'>): UsageSource {
  return {
    async cpuOf(pods, selection) {
      const measured = new Map((await listMetrics(client, selection)).map((each) => [each.metadata.name, cpuOf(each)]));
      const known = pods.flatMap((pod) => {
        const cpu = measured.get(pod.metadata.name) ?? annotatedUsage(pod).cpu;
        return cpu === undefined ? [] : [[pod.metadata.uid ?? '', cpu] as const];
      });
      return new Map(known);
    },
  };
}

async function listMetrics(client: Pick<Reader, 'list'>, selection: SelectionOptions): Promise<readonly PodMetrics[]> {
  try {
    return (await client.list(podMetrics, selection)).items;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 404) return [];
    throw new MeasurementError(`the server does not say what pods use: ${error.message}`, { cause: error });
  }
}

function cpuOf({ containers }: PodMetrics): number {
  return cpuMillis(containers.map(({ usage }) => usage['cpu'] ?? '0'));
}
