import { formatTime } from '../../base/clock.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { PodCondition, PodStatus } from '../../kinds/core/pod/pod-status.ts';
import { reportedConditions } from '../reported-conditions.ts';
import type { Refusal } from './admission.ts';

/** Where a pod is on its node. */
export interface PodSituation {
  readonly containers: readonly ContainerStatus[];
  /** Absent until the pod has one. */
  readonly podIP: string | undefined;
  readonly hostIP: string;
  /** When the node took it on, in milliseconds since the epoch. */
  readonly acceptedAt: number;
  readonly now: number;
  /** Why the node ended it, or did not take it on. */
  readonly failure?: Refusal;
  /** Whether the failure counts already: not before everything has ended. */
  readonly isOver: boolean;
}

/** The status of a pod as its node sees it. What others wrote there, such as conditions of their own, stays. */
export function podStatus(pod: Pod, situation: PodSituation): PodStatus {
  const { containers, podIP, hostIP, acceptedAt, failure, isOver } = situation;
  const { reason: _reason, message: _message, podIP: oldIP, ...kept } = pod.status;
  const phase = failure && isOver ? 'Failed' : phaseOf(pod, containers);
  return {
    ...kept,
    phase,
    ...(failure && isOver && { reason: failure.reason, message: failure.message }),
    conditions: conditionsOf(pod, phase, situation),
    hostIP,
    ...((podIP ?? oldIP) !== undefined && { podIP: podIP ?? oldIP }),
    startTime: pod.status.startTime ?? formatTime(acceptedAt),
    ...(containers.length > 0 && { containerStatuses: [...containers] }),
  };
}

/** As the reference works it out: pending until every container has run once, then running as long as something runs or will. */
export function phaseOf({ spec }: Pod, containers: readonly ContainerStatus[]): string {
  const hasRun = ({ state, lastState }: ContainerStatus): boolean =>
    state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
  if (containers.length === 0 || !containers.every(hasRun)) return 'Pending';
  const { restartPolicy = 'Always' } = spec;
  const codes = containers.map(({ state }) => state?.terminated?.exitCode);
  const isOver = codes.every((code) => code !== undefined) && restartPolicy !== 'Always';
  const hasFailed = codes.some((code) => code !== 0);
  if (!isOver || (hasFailed && restartPolicy === 'OnFailure')) return 'Running';
  return hasFailed ? 'Failed' : 'Succeeded';
}

function conditionsOf(pod: Pod, phase: string, { containers, now }: PodSituation): PodCondition[] {
  const ours: PodCondition[] = [
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', ...readiness(phase, containers) },
    { type: 'PodScheduled', status: 'True' },
  ];
  return reportedConditions(ours, pod.status.conditions, formatTime(now));
}

function readiness(
  phase: string,
  containers: readonly ContainerStatus[],
): Pick<PodCondition, 'status' | 'reason' | 'message'> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0 && containers.length > 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}
