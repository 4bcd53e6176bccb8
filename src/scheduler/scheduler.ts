import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Binder, Reader, Writer } from '../client/client.ts';
import type { OpenEventRecorder } from '../client/open-event-recorder.ts';
import { keyOf, nameOf } from '../client/object-name.ts';
import type { Node } from '../kinds/core/node.ts';
import type { Pod } from '../kinds/core/pod.ts';
import { isFinished } from '../kinds/core/pod/pod-state.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import { bindPod } from './bind-pod.ts';
import { explainRefusals, NodeChooser } from './choose-node.ts';
import { lookAtClaims, type VolumeLookup } from './claimed-volumes.ts';
import { ClusterState } from './cluster-state.ts';
import type { OfferingNode } from './node-state.ts';
import { PendingPods, type PendingPod } from './pending-pods.ts';
import { RefusalWriter } from './refusal-writer.ts';
import type { ServicesOf } from './spreading.ts';

/** A pod names its scheduler here; without it the default scheduler sees to it. */
export const schedulerNameAnnotation = 'scheduler.alpha.kubernetes.io/name';
export const defaultSchedulerName = 'default-scheduler';

export interface SchedulerParts {
  readonly client: Binder & Pick<Reader, 'get'> & Pick<Writer, 'update' | 'updateStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: OpenEventRecorder;
  readonly name: string;
  /** How many pods are bound at the same time. */
  readonly parallelBinds: number;
  readonly servicesOf: ServicesOf;
  readonly volumes: VolumeLookup;
  readonly signal: AbortSignal;
}

/** After so many pods others get a turn. */
const podsInATurn = 50;

/** Finds nodes for pods, one pod after the other, and binds them side by side. It is told of what happens and begins when `start` is called. */
export class Scheduler {
  readonly state: ClusterState;
  readonly #parts: SchedulerParts;
  readonly #chooser: NodeChooser;
  readonly #pending: PendingPods;
  readonly #refusals: RefusalWriter;
  readonly #binds = new Set<Promise<void>>();
  #isStarted = false;
  #hasTurn = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.state = new ClusterState(parts.servicesOf);
    this.#chooser = new NodeChooser(this.state);
    this.#pending = new PendingPods(parts.clock, () => this.#askForTurn());
    this.#refusals = new RefusalWriter(parts);
  }

  setNode(node: Node): void {
    if (this.state.setNode(node)) this.#pending.nodesChanged();
  }

  removeNode(node: Node): void {
    this.state.removeNode(node.metadata.name ?? '');
  }

  /** A claim has another volume than before, or a volume is new or elsewhere. */
  volumesChanged(): void {
    this.#pending.nodesChanged();
  }

  setPod(pod: Pod): void {
    if (isFinished(pod)) return this.removePod(pod);
    const key = keyOf(pod);
    if (pod.spec.nodeName) {
      this.#pending.delete(key);
      if (this.state.setPod(pod)) this.#pending.roomMade();
    } else if (pod.metadata.deletionTimestamp === undefined && this.#isOurs(pod)) this.#pending.set(pod);
    else this.#pending.delete(key);
  }

  removePod(pod: Pod): void {
    const key = keyOf(pod);
    this.#pending.delete(key);
    if (this.state.removePod(key)) this.#pending.roomMade();
  }

  start(): void {
    this.#isStarted = true;
    this.#askForTurn();
  }

  get isBusy(): boolean {
    return this.#pending.waiting > 0 || this.#binds.size > 0 || this.#refusals.isBusy || this.#parts.events.isBusy;
  }

  /** Resolves when no pod waits for its turn, and all that was decided is written. */
  async settled(): Promise<void> {
    while (this.isBusy && !this.#parts.signal.aborted) {
      await Promise.all(this.#binds);
      await this.#refusals.settled();
      await this.#parts.events.settled();
      // Pods that wait get their turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    this.#pending.close();
    await Promise.all(this.#binds);
    await this.#refusals.close();
  }

  #isOurs({ metadata }: Pod): boolean {
    return (metadata.annotations?.[schedulerNameAnnotation] || defaultSchedulerName) === this.#parts.name;
  }

  #askForTurn(): void {
    if (!this.#isStarted || this.#hasTurn || this.#parts.signal.aborted) return;
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#parts.signal.aborted) return;
    for (let pods = 0; pods < podsInATurn; pods++) {
      // The end of a bind asks for the next turn.
      if (this.#binds.size >= this.#parts.parallelBinds) return;
      const pending = this.#pending.take();
      if (!pending) return;
      try {
        this.#schedule(pending);
      } catch (error) {
        // One pod that cannot be read must not keep others from their nodes.
        this.#parts.logger.error('a pod could not be scheduled', { pod: pending.needs.key, error });
        this.#pending.retryLater(pending);
      }
    }
    this.#askForTurn();
  }

  #schedule(pending: PendingPod): void {
    const finding = lookAtClaims(pending.needs, this.#parts.volumes);
    if (!finding.needs) return this.#refuse(pending, finding.problem);
    const choice = this.#chooser.choose(finding.needs);
    if (!choice.node) return this.#refuse(pending, explainRefusals(choice.nodes, choice.refusals));
    this.state.assume(pending.needs, choice.node);
    const binding = this.#bind(pending, choice.node).finally(() => {
      this.#binds.delete(binding);
      if (this.#pending.waiting > 0) this.#askForTurn();
    });
    this.#binds.add(binding);
  }

  #refuse(pending: PendingPod, message: string): void {
    this.#pending.park(pending);
    this.#parts.events.record(pending.pod, 'Warning', 'FailedScheduling', message);
    this.#refusals.write(pending.pod, message);
  }

  async #bind(pending: PendingPod, node: OfferingNode): Promise<void> {
    const { client, clock, events, signal } = this.#parts;
    const { pod, needs } = pending;
    try {
      await bindPod({ client, clock, pod: nameOf(pod), uid: needs.uid, node: node.name, signal });
      events.record(pod, 'Normal', 'Scheduled', `Assigned ${needs.key} to node ${node.name}`);
    } catch (error) {
      if (signal.aborted) return;
      if (this.state.forget(needs)) this.#pending.roomMade();
      this.#report(pending, node, error);
      this.#pending.retryLater(pending);
    }
  }

  #report({ pod, needs }: PendingPod, node: OfferingNode, error: unknown): void {
    const { events, logger } = this.#parts;
    const fields = { pod: needs.key, node: node.name, error };
    // Somebody else was faster, or deleted the pod: the watch tells.
    if (isApiError(error, 409) || isApiError(error, 404)) {
      logger.debug('a pod changed before it could be bound', fields);
      return;
    }
    logger.warn('a pod could not be bound; trying again', fields);
    const message = error instanceof Error ? error.message : String(error);
    events.record(pod, 'Warning', 'FailedScheduling', `could not be bound to node ${node.name}: ${message}`);
  }
}
