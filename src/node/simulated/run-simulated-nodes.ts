import { closeOnce } from '../../base/close-once.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { allSettled, type Settling } from '../../base/settling.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Client } from '../../client/client.ts';
import { clientUntil } from '../../client/client-until.ts';
import { openEventRecorder } from '../../client/open-event-recorder.ts';
import { SharedInformers } from '../../client/shared-informers.ts';
import { node as nodeKind } from '../../kinds/core/node.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import { canonicalAmount } from '../../kinds/core/resource-amounts.ts';
import type { NodeCapacity } from './node-object.ts';
import { NodeReports } from './node-reports.ts';
import { PodRuns } from './pod-runs.ts';
import { planNodes } from './simulated-node.ts';

export interface RunSimulatedNodesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** The nodes to be; see `nodeNames`. */
  readonly names: readonly string[];
  /** What each of them has; 4 processors, 8Gi and 110 pods where absent. */
  readonly capacity?: Partial<NodeCapacity>;
  /** Besides those that every simulated node has. */
  readonly labels?: Readonly<Record<string, string>>;
  /** How often each node says that it is well; every 10 seconds when absent. */
  readonly heartbeatMs?: number;
  /** How many pods, and how many nodes, are written at the same time; 32 when absent. */
  readonly parallelWrites?: number;
  /** Local copies to share with others of the process; they stay open. Own ones when absent. */
  readonly informers?: SharedInformers;
  /** Ends the run when it is aborted, as `close` does. */
  readonly signal?: AbortSignal;
}

/** Simulated nodes at work, from `runSimulatedNodes` until `close`. The nodes and their pods stay, as those of machines that were switched off. */
export interface SimulatedNodesRun extends Settling {
  /** Resolves when all nodes have joined; rejects when that fails or the run ends before. */
  readonly started: Promise<void>;
  /** Ends the work under way and everything that was opened. */
  close(): Promise<void>;
}

const usualCapacity: NodeCapacity = { cpu: '4', memory: '8Gi', pods: '110' };

/** `node-1`, `node-2` and so on. */
export function nodeNames(count: number, prefix = 'node'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);
}

/**
 * Starts nodes that run nothing: they join, report, and lead the pods bound to them through their lives as the pods' annotations say.
 * One watch of pods and one of nodes serve all of them.
 */
export function runSimulatedNodes(options: RunSimulatedNodesOptions): SimulatedNodesRun {
  const { clock, logger, signal } = options;
  const capacity = checkedCapacity(options.capacity);
  const stopping = new AbortController();
  const informers = options.informers ?? new SharedInformers(options);
  const events = openEventRecorder({ client: options.client, clock, logger, source: { component: 'kubelet' } });
  let parts: Parts | undefined;
  const started = begin();
  started.catch(() => {});

  async function begin(): Promise<void> {
    const [nodeObjects, pods] = [informers.of(nodeKind), informers.of(podKind)];
    await untilAborted(Promise.all([nodeObjects.synced, pods.synced]), stopping.signal);
    const { names, labels = {}, ids, heartbeatMs = 10_000, parallelWrites: parallel = 32 } = options;
    // Once it is to end no server is waited for.
    const reporting = { client: clientUntil(stopping.signal, options.client), signal: stopping.signal };
    const nodes = planNodes({ names, capacity, labels, bootID: ids.uid(), existing: nodeObjects.list() });
    const reports = new NodeReports({
      ...reporting,
      clock,
      logger,
      informer: nodeObjects,
      nodes,
      heartbeatMs,
      parallel,
    });
    const runs = new PodRuns({ ...reporting, clock, logger, events, pods, nodeObjects, nodes, parallel });
    parts = { reports, runs };
    await reports.join();
    stopping.signal.throwIfAborted();
    reports.start();
    runs.start();
  }

  async function end(): Promise<void> {
    stopping.abort(new Error('the simulated nodes are stopped'));
    if (!options.informers) informers.close();
    await started.catch(() => {});
    await parts?.reports.close();
    await parts?.runs.close();
    await events.close();
  }
  const close = closeOnce(end, {
    signal,
    onFailure: (error) => logger.error('the simulated nodes did not stop in order', { error }),
  });
  const settling = (): readonly Settling[] => (parts ? [parts.reports, parts.runs, events] : []);
  return {
    started,
    get isBusy() {
      return settling().some(({ isBusy }) => isBusy);
    },
    async settled() {
      await started;
      await allSettled(settling());
    },
    close,
  };
}

interface Parts {
  readonly reports: NodeReports;
  readonly runs: PodRuns;
}

function checkedCapacity(given: Partial<NodeCapacity> = {}): NodeCapacity {
  const capacity = { ...usualCapacity, ...given };
  for (const [resource, amount] of Object.entries(capacity)) {
    if (canonicalAmount(amount) === undefined || amount.startsWith('-')) {
      throw new RangeError(
        `a node cannot have ${JSON.stringify(amount)} of ${resource}; write an amount such as 4 or 8Gi`,
      );
    }
  }
  return capacity;
}
