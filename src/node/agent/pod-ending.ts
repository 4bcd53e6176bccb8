import type { Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import type { Refusal } from './admission.ts';

/** Why and by when a pod is to end. */
export interface PodEnding {
  /** In milliseconds since the epoch. */
  readonly deadline: number;
  readonly why: string;
  /** Makes the pod a failed one. */
  readonly failure?: Refusal;
}

/** What its node knows of a pod beside its object. Times are in milliseconds since the epoch. */
export interface PodSigns {
  readonly now: number;
  /** When the node took it on. */
  readonly acceptedAt: number;
  /** When the node saw first that it is deleted. */
  readonly deletionSeenAt: number | undefined;
  /** Whether it is gone from the API. */
  readonly isVanished: boolean;
}

/** How long the containers of a pod may take to end. */
export function graceMsOf({ spec }: Pod): number {
  return (spec.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** When a pod has been active for as long as it may be. */
export function activeUntil({ spec }: Pod, acceptedAt: number): number {
  return acceptedAt + (spec.activeDeadlineSeconds ?? Infinity) * 1000;
}

/** Decides whether a pod is to end now; nothing while it may go on. */
export function endingOf(
  pod: Pod,
  { now, acceptedAt, deletionSeenAt = now, isVanished }: PodSigns,
): PodEnding | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const graceMs = deletionGracePeriodSeconds === undefined ? graceMsOf(pod) : deletionGracePeriodSeconds * 1000;
  if (deletionTimestamp !== undefined) return { deadline: deletionSeenAt + graceMs, why: 'the pod is deleted' };
  const deadline = now + graceMs;
  if (isVanished) return { deadline, why: 'the pod is gone' };
  if (isFinished(pod)) return { deadline, why: 'the pod was declared as ended' };
  if (now < activeUntil(pod, acceptedAt)) return undefined;
  const message = `the pod was active for longer than the ${pod.spec.activeDeadlineSeconds} seconds that it may be`;
  return { deadline, why: message, failure: { reason: 'DeadlineExceeded', message } };
}
