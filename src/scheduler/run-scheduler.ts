import { isDeepStrictEqual } from 'node:util';
import { closeOnce } from '../base/close-once.ts';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Settling } from '../base/settling.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { clientUntil } from '../client/client-until.ts';
import type { Client } from '../client/client.ts';
import type { Informer } from '../client/informer.ts';
import { openEventRecorder } from '../client/open-event-recorder.ts';
import { SharedInformers } from '../client/shared-informers.ts';
import { node as nodeKind, type Node } from '../kinds/core/node.ts';
import {
  persistentVolumeClaim as claimKind,
  type PersistentVolumeClaim,
} from '../kinds/core/persistent-volume-claim.ts';
import { persistentVolume as volumeKind, type PersistentVolume } from '../kinds/core/persistent-volume.ts';
import { pod as podKind, type Pod } from '../kinds/core/pod.ts';
import { service as serviceKind, type Service } from '../kinds/core/service.ts';
import { isElsewhere } from './claimed-volumes.ts';
import { defaultSchedulerName, Scheduler } from './scheduler.ts';
import { servicesIndex } from './services-index.ts';

export interface RunSchedulerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Local copies to share with others of the process; they stay open. Own ones when absent. */
  readonly informers?: SharedInformers;
  /** Ends the run when it is aborted, as `close` does. */
  readonly signal?: AbortSignal;
  /** Pods whose annotation names another scheduler are left alone; `default-scheduler` when absent. */
  readonly name?: string;
  /** How many pods are bound at the same time; 64 when absent. */
  readonly parallelBinds?: number;
}

/** A scheduler at work, from `runScheduler` until `close`. Pods for which there is no node do not keep it busy. */
export interface SchedulerRun extends Settling {
  /** Resolves when the scheduler knows what is there and has begun to work; rejects when the run ends before. */
  readonly started: Promise<void>;
  /** Ends the work under way and everything that was opened. */
  close(): Promise<void>;
}

/**
 * Starts a scheduler. One watch of all pods tells it of those that wait and of those that have a node: the step from one to the other is
 * then one change, not an end here and a beginning there.
 */
export function runScheduler(options: RunSchedulerOptions): SchedulerRun {
  const { client, clock, logger, signal, name = defaultSchedulerName, parallelBinds = 64 } = options;
  const stopping = new AbortController();
  const informers = options.informers ?? new SharedInformers(options);
  const [pods, nodes, services] = [informers.of(podKind), informers.of(nodeKind), informers.of(serviceKind)];
  const [claims, volumes] = [informers.of(claimKind), informers.of(volumeKind)];
  const events = openEventRecorder({ client, clock, logger, source: { component: name } });
  const scheduler = new Scheduler({
    client: clientUntil(stopping.signal, client),
    clock,
    logger,
    events,
    name,
    parallelBinds,
    servicesOf: servicesIndex(services),
    volumes: { claim: (key) => claims.get(key), volume: (name) => volumes.get(name) },
    signal: stopping.signal,
  });
  const unsubscribe: (() => void)[] = [];
  const started = begin();
  started.catch(() => {});

  async function begin(): Promise<void> {
    const watched = { services, nodes, pods, claims, volumes };
    await untilAborted(Promise.all(Object.values(watched).map(({ synced }) => synced)), stopping.signal);
    unsubscribe.push(follow(scheduler, watched), followVolumes(scheduler, watched));
    scheduler.start();
  }

  async function end(): Promise<void> {
    stopping.abort(new Error('the scheduler is stopped'));
    for (const stop of unsubscribe) stop();
    await scheduler.close();
    await events.close();
    if (!options.informers) informers.close();
  }
  const close = closeOnce(end, {
    signal,
    onFailure: (error) => logger.error('the scheduler did not stop in order', { error }),
  });
  return {
    started,
    get isBusy() {
      return scheduler.isBusy;
    },
    async settled() {
      await started;
      await scheduler.settled();
    },
    close,
  };
}

interface Watched {
  readonly services: Informer<Service>;
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
}

/** Tells the scheduler of everything, until what is returned is called. Of services and nodes first: pods are counted on what is there, and once. */
function follow(
  scheduler: Scheduler,
  { services, nodes, pods }: Pick<Watched, 'services' | 'nodes' | 'pods'>,
): () => void {
  const regroup = ({ metadata, spec }: Service): void => {
    if (spec?.selector) scheduler.state.regroup(metadata.namespace ?? '');
  };
  const stops = [
    services.on({
      added: regroup,
      updated(old, service) {
        if (isDeepStrictEqual(old.spec?.selector, service.spec?.selector)) return;
        regroup(old);
        regroup(service);
      },
      deleted: regroup,
    }),
    nodes.on({
      added: (node) => scheduler.setNode(node),
      updated: (_old, node) => scheduler.setNode(node),
      deleted: (node) => scheduler.removeNode(node),
    }),
    pods.on({
      added: (pod) => scheduler.setPod(pod),
      updated: (_old, pod) => scheduler.setPod(pod),
      deleted: (pod) => scheduler.removePod(pod),
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Tells the scheduler of what pods with claims wait for, until what is returned is called. */
function followVolumes(scheduler: Scheduler, { claims, volumes }: Pick<Watched, 'claims' | 'volumes'>): () => void {
  const stops = [
    claims.on({
      added: () => scheduler.volumesChanged(),
      updated(old, claim) {
        if (old.spec?.volumeName !== claim.spec?.volumeName) scheduler.volumesChanged();
      },
    }),
    volumes.on({
      added: () => scheduler.volumesChanged(),
      updated(old, volume) {
        if (isElsewhere(old, volume)) scheduler.volumesChanged();
      },
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
