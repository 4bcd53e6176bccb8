import type { Clock } from '../base/clock.ts';
import { deferred } from '../base/deferred.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { allSettled, type Settling } from '../base/settling.ts';
import type { Client } from '../client/client.ts';
import { runLeaderElection } from '../client/leader-election.ts';
import { SharedInformers } from '../client/shared-informers.ts';
import type { Controller } from '../controllers/loop/controller.ts';
import { runControllers } from '../controllers/loop/run-controllers.ts';
import { runScheduler } from '../scheduler/run-scheduler.ts';
import { controlPlaneLock } from './control-plane-lock.ts';

export interface ControlPlaneOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly controllers: readonly Controller[];
  /** Who stands for election. One that comes back under the same name goes on where it was, without waiting. */
  readonly identity: string;
}

/** Controllers and scheduler, at work or waiting for their turn; one that waits is not busy. */
export interface ControlPlane extends Settling {
  /** Resolves when this one leads and works; rejects when it ended before. */
  readonly leading: Promise<void>;
  /** Resolves when it ended by itself, with the reason where something went wrong. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Shorter than in large clusters: who waits for another to take over is mostly a person or a test. */
const periods = { leaseMs: 6000, renewMs: 4000, retryMs: 1000 };

/** Runs controllers and scheduler while this process is the leader of all that stand for election. */
export function runControlPlane(options: ControlPlaneOptions): ControlPlane {
  const { client, clock, logger, identity } = options;
  const stopping = new AbortController();
  const leading = deferred<void>();
  leading.promise.catch(() => undefined);
  let working: readonly Settling[] = [];
  const ended = runLeaderElection({
    client,
    clock,
    logger,
    lock: controlPlaneLock,
    identity,
    ...periods,
    signal: stopping.signal,
    async lead(signal) {
      await work(options, signal, (started) => {
        working = started;
        leading.resolve();
      });
      working = [];
    },
  });
  ended.then(
    () => leading.reject(new Error('the control plane ended before it led')),
    (error: unknown) => leading.reject(error),
  );
  return {
    leading: leading.promise,
    ended,
    get isBusy() {
      return working.some(({ isBusy }) => isBusy);
    },
    settled: () => allSettled(working),
    async close() {
      stopping.abort(new Error('the control plane is stopped'));
      await ended;
    },
  };
}

async function work(
  options: ControlPlaneOptions,
  signal: AbortSignal,
  onStarted: (runs: readonly Settling[]) => void,
): Promise<void> {
  const { controllers, ...parts } = options;
  // One watch of each kind serves controllers and scheduler alike.
  const informers = new SharedInformers(parts);
  const runs = [runControllers(controllers, { ...parts, informers }), runScheduler({ ...parts, informers })];
  try {
    // A server that falls silent now must not keep a leader that is to stop.
    await Promise.race([Promise.all(runs.map((run) => run.started)), aborted(signal)]);
    if (!signal.aborted) onStarted(runs);
    await aborted(signal);
  } finally {
    await Promise.all(runs.map((run) => run.close()));
    informers.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
