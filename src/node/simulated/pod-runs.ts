import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Writer } from '../../client/client.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { Informer } from '../../client/informer.ts';
import { keyOf, nameOf } from '../../client/object-name.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import type { Node } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import { isUnreachable } from './node-reports.ts';
import { advanceRun, resumeRun, type PodRun } from './pod-run.ts';
import { scriptOf, type PodScript } from './pod-script.ts';
import { runStatus } from './run-status.ts';
import type { SimulatedNode } from './simulated-node.ts';

export interface PodRunsOptions {
  readonly client: Pick<Writer, 'updateStatus' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly pods: Informer<Pod>;
  readonly nodeObjects: Informer<Node>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  /** How many pods are written at the same time. */
  readonly parallel: number;
  /** Aborted when nothing is to be written any more. */
  readonly signal: AbortSignal;
}

/** A pod that is on one of our nodes. */
interface KnownPod {
  readonly uid: string;
  readonly node: SimulatedNode;
  readonly run: PodRun;
  /** What was wrong with its annotations when that was last told. */
  toldMistakes: string;
}

const backoff = { firstMs: 50, longestMs: 30_000 };
const rate = { perSecond: 1000, burst: 1000 };

/**
 * Leads the pods on all simulated nodes through their lives. Each look at a pod compares where it should be by now with its status, writes
 * the status if that differs, and plans the next look.
 */
export class PodRuns {
  readonly #options: PodRunsOptions;
  readonly #queue: WorkQueue;
  readonly #known = new Map<string, KnownPod>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: PodRunsOptions) {
    this.#options = options;
    const { clock, parallel } = options;
    this.#queue = new WorkQueue({ clock, parallel, backoff, rate, work: (key) => this.#work(key) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle;
  }

  settled(): Promise<void> {
    return this.#queue.idle();
  }

  start(): void {
    const { pods, nodeObjects } = this.#options;
    this.#unsubscribe.push(
      // Before the pods: each of the nodes that are there already is told of, and all pods would be gone through for it.
      nodeObjects.on({
        // What happened while nobody could hear of it is told now.
        added: ({ metadata: { name = '' } }) => this.#lookAtAllOn(name),
        updated: (old, { metadata: { name = '' } }) => {
          if (isUnreachable(old)) this.#lookAtAllOn(name);
        },
      }),
      pods.on({
        added: (pod) => this.#notice(pod),
        updated: (_old, pod) => this.#notice(pod),
        deleted: (pod) => this.#lose(pod),
      }),
    );
  }

  close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    return this.#queue.close();
  }

  #notice(pod: Pod): void {
    const { clock, nodes } = this.#options;
    const node = nodes.get(pod.spec.nodeName ?? '');
    if (!node) return;
    const key = keyOf(pod);
    const { uid = '' } = pod.metadata;
    let known = this.#known.get(key);
    if (!known || known.uid !== uid) {
      known = { uid, node, run: resumeRun(pod, clock.now()), toldMistakes: '' };
      this.#known.set(key, known);
      if (pod.status.podIP) node.addresses.keep(uid, pod.status.podIP);
    }
    if (pod.metadata.deletionTimestamp !== undefined) known.run.deletionSeenAt ??= clock.now();
    if (isFinished(pod)) node.addresses.release(uid);
    if (!isFinished(pod) || pod.metadata.deletionTimestamp !== undefined) this.#queue.add(key);
  }

  #lose(pod: Pod): void {
    const key = keyOf(pod);
    const known = this.#known.get(key);
    if (known?.uid !== pod.metadata.uid) return;
    known?.node.addresses.release(known.uid);
    this.#known.delete(key);
    this.#queue.forget(key);
  }

  #lookAtAllOn(node: string): void {
    if (!this.#options.nodes.has(node)) return;
    for (const [key, known] of this.#known) {
      if (known.node.identity.name === node) this.#queue.add(key);
    }
  }

  async #work(key: string): Promise<void> {
    const pod = this.#options.pods.get(key);
    const known = this.#known.get(key);
    if (!pod || !known || known.uid !== pod.metadata.uid || !this.#canReport(known.node)) return;
    try {
      const next = await this.#move(pod, known);
      this.#queue.forget(key);
      if (next < Infinity) this.#queue.addAfter(key, Math.max(0, next - this.#options.clock.now()));
    } catch (error) {
      this.#retry(key, error);
    }
  }

  /** Brings the pod to where it should be by now; gives the moment of the next look. */
  async #move(pod: Pod, known: KnownPod): Promise<number> {
    const { script, mistakes } = scriptOf(pod);
    this.#tellMistakes(pod, known, mistakes);
    if (pod.metadata.deletionTimestamp !== undefined) {
      const stopsAt = stopsAtOf(pod, known.run, script);
      if (this.#options.clock.now() >= stopsAt) {
        await this.#remove(pod);
        return Infinity;
      }
      return Math.min(stopsAt, await this.#advance(pod, known, script));
    }
    return this.#advance(pod, known, script);
  }

  async #advance(pod: Pod, { node, run, uid }: KnownPod, script: PodScript): Promise<number> {
    if (isFinished(pod)) return Infinity;
    const { client, clock } = this.#options;
    const now = clock.now();
    const next = advanceRun(run, pod, script, now);
    const { address: hostIP } = node.identity;
    const podIP = pod.spec.hostNetwork ? hostIP : node.addresses.take(uid);
    const status = runStatus({ pod, run, script, now, hostIP, podIP });
    if (!isDeepStrictEqual(status, pod.status)) await client.updateStatus(podKind, { ...pod, status });
    return next;
  }

  async #remove(pod: Pod): Promise<void> {
    const { uid, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
    // It has ended here; somebody else holds it back.
    if (deletionGracePeriodSeconds === 0 && finalizers.length > 0) return;
    await this.#options.client.delete(podKind, nameOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  #canReport({ identity: { name } }: SimulatedNode): boolean {
    const node = this.#options.nodeObjects.get(name);
    return node !== undefined && !isUnreachable(node);
  }

  #tellMistakes(pod: Pod, known: KnownPod, mistakes: readonly string[]): void {
    const message = mistakes.join('; ');
    if (message !== '' && message !== known.toldMistakes) {
      this.#options.events.record(pod, 'Warning', 'InvalidSimulation', message);
    }
    known.toldMistakes = message;
  }

  #retry(key: string, error: unknown): void {
    // It has gone, or nobody is to write any more.
    if (isApiError(error, 404) || this.#options.signal.aborted) return;
    if (!isApiError(error, 409)) {
      this.#options.logger.warn('a simulated pod could not be written; trying again', { pod: key, error });
    }
    this.#queue.addRateLimited(key);
  }
}

/** The grace period is the longest that a pod may take to end. */
function stopsAtOf(pod: Pod, { deletionSeenAt = 0 }: PodRun, { stopAfter }: PodScript): number {
  return deletionSeenAt + Math.min(stopAfter, (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
}
