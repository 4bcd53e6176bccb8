import { constants } from 'node:os';
import { formatTime } from '../../base/clock.ts';
import type { ContainerState, ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { ContainerExit } from '../runtime.ts';

/** One run of a container, whether the runtime still knows it or only the pod's status tells of it. */
export interface ContainerRun {
  readonly id: string;
  readonly attempt: number;
  readonly imageId: string;
  readonly startedAt: number;
  /** Absent while it runs. */
  readonly exit: ContainerExit | undefined;
}

/** A container that was killed without its agent knowing how. */
const lostCode = 137;

/** The last run that a status tells of, for containers that the runtime has lost: one that ran then has ended since. */
export function runFromStatus(status: ContainerStatus | undefined, now: number): ContainerRun | undefined {
  const { state = {}, restartCount = 0, imageID: imageId = '' } = status ?? {};
  const { running, terminated } = state.terminated || state.running ? state : (status?.lastState ?? {});
  if (!running && !terminated) return undefined;
  const finishedAt = moment(terminated?.finishedAt) ?? now;
  return {
    id: terminated?.containerID ?? status?.containerID ?? '',
    attempt: restartCount,
    imageId,
    startedAt: moment(terminated?.startedAt ?? running?.startedAt) ?? finishedAt,
    exit: terminated
      ? { code: terminated.exitCode, finishedAt, reason: terminated.reason ?? '', message: terminated.message }
      : { code: lostCode, finishedAt, reason: 'ContainerLost', message: 'the container is gone from its node' },
  };
}

export function runState({ id, startedAt, exit }: ContainerRun): ContainerState {
  if (!exit) return { running: { startedAt: formatTime(startedAt) } };
  const signal = exit.signal === undefined ? undefined : signalNumber(exit.signal);
  return {
    terminated: {
      exitCode: exit.code,
      ...(signal !== undefined && { signal }),
      reason: exit.reason,
      ...(exit.message && { message: exit.message }),
      startedAt: formatTime(startedAt),
      finishedAt: formatTime(exit.finishedAt),
      containerID: id,
    },
  };
}

function signalNumber(name: string): number | undefined {
  return (constants.signals as Readonly<Record<string, number>>)[name];
}

function moment(time: string | undefined): number | undefined {
  const ms = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}
