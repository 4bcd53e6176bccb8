import type { Pod } from '../pod.ts';
import type { PodCondition } from './pod-status.ts';

/** Whether the pod has ended for good. */
export function isFinished({ status }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

/** Whether the pod counts for whoever keeps a number of pods: it has not ended and is not on its way out. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** Whether the pod takes requests. */
export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** Whether the pod has been ready for at least so long. `now` is in milliseconds. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return millisecondsUntilAvailable(pod, minReadySeconds, now) === 0;
}

/** How long a ready pod must stay so to count as available; 0 when it does already, Infinity when it is not ready. */
export function millisecondsUntilAvailable(pod: Pod, minReadySeconds: number, now: number): number {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'True') return Infinity;
  if (minReadySeconds <= 0) return 0;
  // Without a time nobody knows since when, so the whole time is still to pass.
  const since = ready.lastTransitionTime === undefined ? now : Date.parse(ready.lastTransitionTime);
  return Math.max(0, since + minReadySeconds * 1000 - now);
}
