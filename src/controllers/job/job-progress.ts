import type { Pod } from '../../kinds/core/pod.ts';
import { isActive } from '../../kinds/core/pod/pod-state.ts';
import type { Job } from '../../kinds/extensions/job.ts';

/** The pods of a job by how they fare. Those on their way out are none of them. */
export interface JobPods {
  readonly active: readonly Pod[];
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
}

export function sortPods(pods: readonly Pod[]): JobPods {
  const inPhase = (phase: string): Pod[] => pods.filter(({ status }) => status.phase === phase);
  return { active: pods.filter(isActive), succeeded: inPhase('Succeeded'), failed: inPhase('Failed') };
}

/**
 * How many pods are to run. A job that says how often it must succeed runs no more than are missing; one that does not works on a queue,
 * and once a pod has found that empty, no further ones are begun.
 */
export function activeWanted({ spec }: Job, { active, succeeded }: JobPods): number {
  const { completions, parallelism = 1 } = spec;
  if (completions !== undefined) return Math.max(0, Math.min(parallelism, completions - succeeded.length));
  return succeeded.length > 0 ? Math.min(parallelism, active.length) : parallelism;
}

export function isComplete({ spec }: Job, { active, succeeded }: JobPods): boolean {
  if (spec.completions !== undefined) return succeeded.length >= spec.completions;
  return succeeded.length > 0 && active.length === 0;
}

/** Whether the job has ended, well or not. */
export function hasEnded({ status }: Job): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True') ??
    false
  );
}

/** How long the job may still take, in milliseconds: 0 when its time is over, Infinity when it may take for ever. */
export function timeLeft({ spec }: Job, startedAt: number, now: number): number {
  const { activeDeadlineSeconds: deadline } = spec;
  return deadline === undefined ? Infinity : Math.max(0, startedAt + deadline * 1000 - now);
}
