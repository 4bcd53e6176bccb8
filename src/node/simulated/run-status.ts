import { formatTime } from '../../base/clock.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { ContainerState, ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { PodCondition, PodStatus } from '../../kinds/core/pod/pod-status.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { reportedConditions } from '../reported-conditions.ts';
import { readyAt, type EndedRun, type PodRun } from './pod-run.ts';
import type { PodScript } from './pod-script.ts';

export interface RunStatusOptions {
  readonly pod: Pod;
  readonly run: PodRun;
  readonly script: PodScript;
  readonly now: number;
  readonly hostIP: string;
  readonly podIP: string;
}

/** The status that a pod has at this point of its run. What others wrote there, such as conditions of their own, stays. */
export function runStatus(options: RunStatusOptions): PodStatus {
  const { pod, run, script, now, hostIP, podIP } = options;
  const isReady = readyAt(run, script) <= now;
  const { reason: _reason, message: _message, ...kept } = pod.status;
  return {
    ...kept,
    phase: phaseOf(run),
    ...(run.outcome === 'DeadlineExceeded' && {
      reason: 'DeadlineExceeded',
      message: 'The pod was active for longer than it may be',
    }),
    conditions: conditionsOf(options, isReady),
    hostIP,
    podIP,
    startTime: pod.status.startTime ?? formatTime(run.acceptedAt),
    containerStatuses: pod.spec.containers.map((container) => containerStatus(container, pod, run, isReady)),
  };
}

function phaseOf({ outcome, startedAt, last }: PodRun): string {
  if (outcome) return outcome === 'Succeeded' ? 'Succeeded' : 'Failed';
  return startedAt === undefined && !last ? 'Pending' : 'Running';
}

function conditionsOf({ pod, run, now }: RunStatusOptions, isReady: boolean): PodCondition[] {
  const ours: PodCondition[] = [
    { type: 'Initialized', status: 'True' },
    isReady ? { type: 'Ready', status: 'True' } : { type: 'Ready', status: 'False', ...unreadiness(run) },
    { type: 'PodScheduled', status: 'True' },
  ];
  return reportedConditions(ours, pod.status.conditions, formatTime(now));
}

function unreadiness({ outcome }: PodRun): Pick<PodCondition, 'reason' | 'message'> {
  if (outcome === 'Succeeded') return { reason: 'PodCompleted' };
  return { reason: 'ContainersNotReady', message: 'containers are not ready' };
}

function containerStatus(container: Container, { metadata }: Pod, run: PodRun, isReady: boolean): ContainerStatus {
  const { name, image } = container;
  const idOf = (restarts: number): string => `simulated://${metadata.uid}/${name}/${restarts}`;
  const lastRun = run.startedAt === undefined ? run.restarts : run.restarts - 1;
  const ended = run.last && { terminated: terminated(run.last, idOf(lastRun)) };
  return {
    name,
    state: stateOf(run, ended),
    // Once all is over the last run is the state itself.
    lastState: run.outcome ? {} : (ended ?? {}),
    ready: isReady,
    restartCount: run.restarts,
    image,
    imageID: `simulated://${image}`,
    ...((run.startedAt !== undefined || run.last) && { containerID: idOf(run.restarts) }),
  };
}

function stateOf(run: PodRun, ended: ContainerState | undefined): ContainerState {
  if (run.startedAt !== undefined) return { running: { startedAt: formatTime(run.startedAt) } };
  if (run.outcome) return ended ?? { waiting: { reason: 'ContainerCreating' } };
  if (!ended) return { waiting: { reason: 'ContainerCreating' } };
  return { waiting: { reason: 'CrashLoopBackOff', message: 'The container ended and waits to be started again' } };
}

function terminated({ startedAt, endedAt, exitCode }: EndedRun, containerID: string): ContainerState['terminated'] {
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: formatTime(startedAt),
    finishedAt: formatTime(endedAt),
    containerID,
  };
}
