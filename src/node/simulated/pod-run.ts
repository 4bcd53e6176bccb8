import { backoffMs, type BackoffBounds } from '../../client/backoff.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { PodScript } from './pod-script.ts';

/** A run of the containers that is over. */
export interface EndedRun {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exitCode: number;
}

/**
 * Where a pod is in its life, in exact times: those in its status are whole seconds. All of its containers do the same.
 *
 * States: starting (neither `startedAt` nor `last`) -> running (`startedAt`) -> waiting (`last`) -> running again, as the restart policy says,
 * or over (`outcome`), which is for good.
 */
export interface PodRun {
  acceptedAt: number;
  startedAt?: number;
  /** The last run that has ended. */
  last?: EndedRun;
  /** How often the containers were started again. */
  restarts: number;
  outcome?: 'Succeeded' | 'Failed' | 'DeadlineExceeded';
  /** When the node learned that the pod is to go. */
  deletionSeenAt?: number;
}

/** As in the reference: each wait is twice as long as the one before, unless a run has lasted. */
const restartBackoff: BackoffBounds = { firstMs: 10_000, longestMs: 300_000 };
const firstRestartMs = 1000;
const lastingMs = 10 * 60_000;

/** A run that begins now, or goes on where the status of the pod says that it is. */
export function resumeRun({ status }: Pod, now: number): PodRun {
  const run: PodRun = { acceptedAt: moment(status.startTime) ?? now, restarts: 0 };
  const [container] = status.containerStatuses ?? [];
  if (!container) return run;
  run.restarts = container.restartCount;
  run.startedAt = moment(container.state?.running?.startedAt);
  const terminated = container.state?.terminated ?? container.lastState?.terminated;
  const endedAt = moment(terminated?.finishedAt);
  if (terminated && endedAt !== undefined) {
    run.last = { startedAt: moment(terminated.startedAt) ?? endedAt, endedAt, exitCode: terminated.exitCode };
  }
  return run;
}

function moment(time: string | undefined): number | undefined {
  const ms = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Moves the run on to where it is now, and gives the moment at which it moves on next: Infinity for never. */
export function advanceRun(run: PodRun, { spec }: Pod, script: PodScript, now: number): number {
  const deadline = run.acceptedAt + (spec.activeDeadlineSeconds ?? Infinity) * 1000;
  for (;;) {
    if (run.outcome) return Infinity;
    if (now >= deadline) {
      endRun(run, now, 137);
      run.outcome = 'DeadlineExceeded';
      return Infinity;
    }
    const due = dueAt(run, script);
    if (now < due) return Math.min(due, deadline, readyAt(run, script) > now ? readyAt(run, script) : Infinity);
    if (run.startedAt === undefined) startRun(run, script, now);
    else endRun(run, now, exitCodeOf(run, script), spec.restartPolicy);
  }
}

/** When the run is ready, if it lasts that long; Infinity when it does not run. */
export function readyAt({ startedAt }: PodRun, { readyAfter }: PodScript): number {
  return startedAt === undefined ? Infinity : startedAt + readyAfter;
}

function dueAt(run: PodRun, script: PodScript): number {
  if (run.startedAt !== undefined) return run.startedAt + script.runFor;
  if (!run.last) return run.acceptedAt + script.startAfter;
  return run.last.endedAt + (script.restartAfter ?? restartWait(run, run.last));
}

function restartWait({ restarts }: PodRun, { startedAt, endedAt }: EndedRun): number {
  if (restarts === 0 || endedAt - startedAt >= lastingMs) return firstRestartMs;
  return backoffMs(restartBackoff, restarts);
}

function startRun(run: PodRun, script: PodScript, now: number): void {
  run.restarts = run.last ? run.restarts + 1 : script.restartCount;
  run.startedAt = now;
}

function endRun(run: PodRun, now: number, exitCode: number, restartPolicy = 'Never'): void {
  if (run.startedAt !== undefined) run.last = { startedAt: run.startedAt, endedAt: now, exitCode };
  run.startedAt = undefined;
  const isRestarted = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  if (!isRestarted) run.outcome = exitCode === 0 ? 'Succeeded' : 'Failed';
}

function exitCodeOf({ restarts }: PodRun, { exitCodes, restartCount }: PodScript): number {
  return exitCodes[Math.min(Math.max(0, restarts - restartCount), exitCodes.length - 1)] ?? 0;
}
