import { deferred, type Deferred } from '../../base/deferred.ts';
import type { Reader, Writer } from '../../client/client.ts';
import type { Informer } from '../../client/informer.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import type { RunningContainer } from '../runtime.ts';
import type { HostedPods } from '../server/hosted-pods.ts';
import { refusalOf } from './admission.ts';
import type { AgentParts } from './agent-parts.ts';
import { containersByPod } from './containers-by-pod.ts';
import { Orphans } from './orphans.ts';
import { PodReports } from './pod-reports.ts';
import { PodWorker } from './pod-worker.ts';

export interface PodWorkersOptions {
  readonly parts: AgentParts;
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'update' | 'updateStatus' | 'delete'>;
  /** Aborted when nothing is to be reported any more. */
  readonly signal: AbortSignal;
  /** The pods on this node. Complete already. */
  readonly pods: Informer<Pod>;
  /** The node as it last was. */
  getNode(): Node;
}

const parallel = 16;

/** All pods of a node, each with its worker. */
export class PodWorkers implements HostedPods {
  readonly #options: PodWorkersOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #queue: WorkQueue;
  readonly #reports: PodReports;
  readonly #orphans: Orphans;
  #unsubscribe = (): void => {};
  /** Resolved when no pod is left. */
  #emptied: Deferred<void> | undefined;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    const { clock, logger } = options.parts;
    this.#queue = new WorkQueue({ clock, parallel, work: (uid) => this.#work(uid) });
    this.#orphans = new Orphans(options.parts);
    const { client, signal } = options;
    this.#reports = new PodReports({ client, signal, clock, logger, find: (uid) => this.#workers.get(uid) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle || this.#reports.isBusy;
  }

  async settled(): Promise<void> {
    await this.#queue.idle();
    await this.#reports.settled();
  }

  /** Every pod that is here, those that are on their way out included. */
  list(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /** Takes over what runs already, stops what nobody wants any more, and begins to look after the pods. */
  async start(): Promise<void> {
    const { parts, pods } = this.#options;
    await this.#releaseVanished();
    const found = containersByPod(await parts.runtime.list());
    // From here on nothing is waited for: nobody would tell of a pod that goes between being listed and being followed.
    for (const pod of [...pods.list()].sort(byAge)) this.#take(pod, found.get(pod.metadata.uid ?? '') ?? []);
    this.#orphans.take([...found].filter(([uid]) => !this.#workers.has(uid)).flatMap(([, containers]) => containers));
    this.#unsubscribe = pods.on({
      added: (pod) => this.#take(pod, []),
      updated: (_old, pod) => this.#update(pod),
      deleted: (pod) => this.#lose(pod),
    });
  }

  /** What was given to pods that went before any container of theirs was started. */
  async #releaseVanished(): Promise<void> {
    const { pods, parts } = this.#options;
    const { runtime, logger } = parts;
    try {
      await runtime.releaseOthers(new Set(pods.list().map(({ metadata: { uid = '' } }) => uid)));
    } catch (error) {
      logger.warn('what pods that are gone have left could not be removed', { error });
    }
  }

  /** Looks at a pod again, for its volumes have changed. */
  refreshVolumes(uid: string): void {
    this.#workers.get(uid)?.refreshVolumes();
    this.#queue.add(uid);
  }

  /** Tells people that a port of the node does not lead to a pod. */
  tellPortProblem(uid: string, message: string): void {
    const worker = this.#workers.get(uid);
    if (worker) this.#options.parts.events.record(worker.pod, 'Warning', 'HostPortConflict', message);
  }

  /** Ends everything that runs and leaves nothing on the machine; the pods stay in the API. Nothing is reported any more. */
  async stopAll(graceMs: number): Promise<void> {
    this.#unsubscribe();
    await this.#reports.close();
    await Promise.all([this.#shutDownAll(graceMs), this.#orphans.endWithin(graceMs)]);
  }

  async #shutDownAll(graceMs: number): Promise<void> {
    if (this.#workers.size === 0) return;
    this.#emptied = deferred<void>();
    for (const worker of this.#workers.values()) {
      worker.shutDown(graceMs);
      this.#queue.add(worker.uid);
    }
    await this.#emptied.promise;
  }

  /** Lets go of everything; what runs goes on. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#orphans.close();
    for (const worker of this.#workers.values()) worker.close();
    await this.#queue.close();
    await this.#reports.close();
  }

  #take(pod: Pod, found: readonly RunningContainer[]): void {
    const { uid = '' } = pod.metadata;
    if (this.#workers.has(uid)) return this.#update(pod);
    const refusal = this.#refusalOf(pod, found.length > 0);
    const { parts } = this.#options;
    if (refusal) parts.events.record(pod, 'Warning', refusal.reason, refusal.message);
    const worker = new PodWorker({ parts, pod, found, refusal, wake: () => this.#queue.add(uid) });
    worker.update(pod);
    this.#workers.set(uid, worker);
    this.#queue.add(uid);
  }

  /** What is here already has been let in before. */
  #refusalOf(pod: Pod, isHere: boolean): ReturnType<typeof refusalOf> {
    if (isHere || isFinished(pod) || pod.status.startTime !== undefined) return undefined;
    const others = this.list().filter(({ takesRoom }) => takesRoom);
    return refusalOf(pod, this.#options.getNode(), others.map(({ pod }) => pod)); // prettier-ignore
  }

  #update(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.#workers.get(uid)?.update(pod);
    this.#queue.add(uid);
  }

  #lose(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.#workers.get(uid)?.vanish(pod);
    this.#queue.add(uid);
  }

  async #work(uid: string): Promise<void> {
    const worker = this.#workers.get(uid);
    if (!worker) return;
    const next = worker.look();
    if (worker.state === 'released') {
      this.#workers.delete(uid);
      this.#reports.forget(uid);
      if (this.#workers.size === 0) this.#emptied?.resolve();
      return;
    }
    this.#reports.add(uid);
    if (next < Infinity) this.#queue.addAfter(uid, next - this.#options.parts.clock.now());
  }
}

/** Those that were taken on first, then by age: who was there first keeps its place. */
function byAge(a: Pod, b: Pod): number {
  const key = ({ status, metadata }: Pod): string => `${status.startTime ?? '~'} ${metadata.creationTimestamp ?? ''}`;
  return key(a) < key(b) ? -1 : 1;
}
