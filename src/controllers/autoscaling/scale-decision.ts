import type { HorizontalPodAutoscaler } from '../../kinds/extensions/horizontal-pod-autoscaler.ts';
import type { AutoscalingTimes } from './autoscaling-times.ts';
import type { Utilization } from './cpu-utilization.ts';

/** How far usage may be from its target before anything is done about it. */
const tolerance = 0.1;

export const defaultTargetPercentage = 80;

export interface ScaleDecision {
  readonly replicas: number;
  readonly reason: string;
}

/** What the bounds alone demand; nothing where the number of pods is within them. */
export function decideByBounds({ spec }: HorizontalPodAutoscaler, current: number): ScaleDecision | undefined {
  const { minReplicas = 1, maxReplicas } = spec;
  if (current > maxReplicas) {
    return { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' };
  }
  if (current < minReplicas) {
    return { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' };
  }
  return undefined;
}

/** How many pods would be as busy as they should be. */
export function decideByUsage(
  { spec }: HorizontalPodAutoscaler,
  current: number,
  { percentage, pods }: Utilization,
): ScaleDecision {
  const target = spec.cpuUtilization?.targetPercentage ?? defaultTargetPercentage;
  const needed = Math.ceil((percentage * pods) / target);
  // Pods that do not run yet will take over work when there is too much, and may be needed when there is little.
  const unmeasured = Math.max(0, current - pods);
  let replicas = current;
  if (percentage > target * (1 + tolerance)) replicas = Math.max(current, needed);
  else if (percentage < target * (1 - tolerance)) replicas = Math.min(current, needed + unmeasured);
  const { minReplicas = 1, maxReplicas } = spec;
  const bounded = Math.min(maxReplicas, Math.max(minReplicas, 1, replicas));
  return { replicas: bounded, reason: bounded > current ? 'CPU utilization above target' : 'All metrics below target' };
}

export interface WantedChange {
  readonly current: number;
  readonly wanted: number;
  readonly now: number;
  readonly times: AutoscalingTimes;
}

/** Whether enough time has passed since the last change. */
export function mayScale({ status }: HorizontalPodAutoscaler, change: WantedChange): boolean {
  const { current, wanted, now, times } = change;
  if (wanted === current) return false;
  if (!status?.lastScaleTime) return true;
  const elapsed = now - Date.parse(status.lastScaleTime);
  return elapsed >= (wanted > current ? times.upscaleDelayMs : times.downscaleDelayMs);
}
