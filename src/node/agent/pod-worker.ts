import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import type { PodStatus } from '../../kinds/core/pod/pod-status.ts';
import type { PodId, RunningContainer } from '../runtime.ts';
import type { HostedContainer, HostedPod } from '../server/hosted-pods.ts';
import { VolumeError } from '../volumes/volume.ts';
import type { Refusal } from './admission.ts';
import type { AgentParts } from './agent-parts.ts';
import { PodContainers } from './pod-containers.ts';
import { activeUntil, endingOf, graceMsOf, type PodEnding } from './pod-ending.ts';
import { PodHome } from './pod-home.ts';
import type { ReportedPod } from './pod-reports.ts';
import { podStatus } from './pod-status.ts';
import type { PodSurroundings } from './pod-surroundings.ts';

export type PodWorkState = 'pending' | 'running' | 'terminating' | 'finished' | 'released';

export interface PodWorkerOptions {
  readonly parts: AgentParts;
  readonly pod: Pod;
  /** Its containers that the runtime has already. */
  readonly found: readonly RunningContainer[];
  /** Why it is not to run at all. */
  readonly refusal?: Refusal;
  /** It should be looked at. */
  readonly wake: () => void;
}

/**
 * Leads one pod through its life on this node. It is in one of these states:
 *
 * - pending: it is given an address and its volumes, again and again while that fails.
 * - running: its containers are started one after the other, and each is led through its runs (pulling, running, waiting; see `ContainerWorker`).
 * - terminating: every container is told to end: the pod was deleted, is gone from the API, or has been active for too long.
 * - finished: nothing runs and nothing will. The pod stays for its status and its logs until it is gone from the API.
 * - released: nothing of it is left on this machine, or nobody is there any more to remove it.
 *
 * pending -> running -> finished, when all containers have ended for good. pending, running -> terminating -> finished. finished -> released, once it
 * is gone from the API. A pod that the node does not take on, or that had ended before, begins as finished.
 */
export class PodWorker implements HostedPod, ReportedPod {
  readonly uid: string;
  readonly id: PodId;
  readonly #options: PodWorkerOptions;
  readonly #acceptedAt: number;
  readonly #home: PodHome;
  readonly #containers: PodContainers;
  #pod: Pod;
  #state: PodWorkState = 'pending';
  #failure: Refusal | undefined;
  #ending: PodEnding | undefined;
  #deletionSeenAt: number | undefined;
  #isVanished = false;
  #shutDownBy = Infinity;
  #isClosed = false;

  constructor(options: PodWorkerOptions) {
    this.#options = options;
    const { pod, parts, found, refusal, wake } = options;
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    this.#pod = pod;
    this.uid = uid;
    this.id = { namespace, name, uid };
    this.#failure = refusal;
    const { startTime } = pod.status;
    this.#acceptedAt = startTime === undefined ? parts.clock.now() : Date.parse(startTime);
    this.#home = new PodHome({
      parts,
      id: this.id,
      getPod: () => this.#pod,
      onReady: (surroundings) => this.#settleIn(surroundings),
      onFailure: (error) => this.#tellUnready(error),
      wake,
    });
    this.#containers = new PodContainers({ parts, pod, found, wake });
    if (refusal || isFinished(pod)) this.#beginFinished();
  }

  get pod(): Pod {
    return this.#pod;
  }

  get state(): PodWorkState {
    return this.#state;
  }

  get podIP(): string | undefined {
    return this.#home.podIP;
  }

  get containers(): readonly HostedContainer[] {
    return this.#containers.list;
  }

  get isVanished(): boolean {
    return this.#isVanished;
  }

  shown(): Pod {
    return { ...this.#pod, status: this.statusOver(this.#pod) };
  }

  connect(port: number, signal: AbortSignal): Promise<Duplex> {
    return this.#options.parts.runtime.connect(this.#pod, port, signal);
  }

  /** Whether it takes a part of the node: all but those that have ended. */
  get takesRoom(): boolean {
    return !this.#isOver && !this.#isVanished;
  }

  /** Whether its object can go: it is to, and nothing runs any more. */
  get isDeletable(): boolean {
    return this.#state === 'finished' && this.#pod.metadata.deletionTimestamp !== undefined;
  }

  /** The pod as the API has it now. */
  update(pod: Pod): void {
    if (!isDeepStrictEqual(shownFields(pod), shownFields(this.#pod))) this.#home.markStale();
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) this.#deletionSeenAt ??= this.#options.parts.clock.now();
    this.#containers.update(pod);
  }

  /** The pod is gone from the API. */
  vanish(last: Pod): void {
    this.update(last);
    this.#isVanished = true;
  }

  /** The pod is to end here within this time, whatever it says itself; nothing of it is to stay. */
  shutDown(graceMs: number): void {
    this.#isVanished = true;
    this.#home.hastenRemoval();
    this.#shutDownBy = this.#options.parts.clock.now() + graceMs;
  }

  /** What its volumes show has changed. */
  refreshVolumes(): void {
    this.#home.markStale();
  }

  /** Moves on as far as possible; gives the moment of the next look, Infinity for when something happens. */
  look(): number {
    if (this.#isClosed) return Infinity;
    this.#containers.look();
    this.#noticeEnd();
    switch (this.#state) {
      case 'pending':
        return Math.min(this.#home.prepare(), this.#activeUntil);
      case 'running':
        return this.#run();
      case 'terminating':
        return this.#hasEnded ? this.#finish() : Infinity;
      case 'finished':
        return this.#release();
      default:
        return Infinity;
    }
  }

  /** Lets go of everything; what runs goes on. */
  close(): void {
    this.#isClosed = true;
    this.#containers.close();
  }

  /** Its status, beside what others have written into that of `over`. */
  statusOver(over: Pod): PodStatus {
    const { clock, hostIP } = this.#options.parts;
    // How it ended is known, whoever said so; nothing that is seen now makes a difference.
    if (isFinished(over)) return over.status;
    return podStatus(over, {
      containers: this.#failure && !this.#home.isThere ? [] : this.#containers.statuses(),
      podIP: this.podIP,
      hostIP,
      acceptedAt: this.#acceptedAt,
      now: clock.now(),
      failure: this.#failure,
      isOver: this.#isOver,
    });
  }

  get #isOver(): boolean {
    return this.#state === 'finished' || this.#state === 'released';
  }

  get #hasEnded(): boolean {
    return !this.#home.isPreparing && this.#containers.haveEnded;
  }

  get #activeUntil(): number {
    return activeUntil(this.#pod, this.#acceptedAt);
  }

  /** A pod that has ended before: what still runs of it is stopped. */
  #beginFinished(): void {
    if (this.#containers.isAnyRunning) {
      this.#terminate({ deadline: this.#options.parts.clock.now() + graceMsOf(this.#pod), why: 'the pod has ended' });
      return;
    }
    this.#containers.end(0, '');
    this.#state = 'finished';
  }

  #settleIn(surroundings: PodSurroundings): void {
    if (this.#isClosed || this.#state !== 'pending') return;
    const { events, hostPorts } = this.#options.parts;
    const { place, podIP, volumes } = surroundings;
    this.#state = 'running';
    this.#containers.settleIn(surroundings);
    for (const { warning } of volumes.values()) {
      if (warning) events.record(this.#pod, 'Warning', 'NotEnforced', warning);
    }
    hostPorts.open(this.#pod, podIP, place.hasOwnPorts);
  }

  #tellUnready(error: unknown): void {
    if (this.#isClosed || this.#state !== 'pending') return;
    const { events, logger } = this.#options.parts;
    const isExpected = error instanceof VolumeError;
    const message = error instanceof Error ? error.message : String(error);
    if (!isExpected) logger.error('a pod could not be made ready', { ...this.id, error });
    events.record(this.#pod, 'Warning', isExpected ? 'FailedMount' : 'FailedSync', message);
  }

  #run(): number {
    const refreshAt = this.#home.refresh();
    if (this.#hasEnded) return this.#finish();
    return Math.min(refreshAt, this.#containers.startDue(), this.#activeUntil);
  }

  #noticeEnd(): void {
    if (this.#isOver) return;
    const end = endingOf(this.#pod, {
      now: this.#options.parts.clock.now(),
      acceptedAt: this.#acceptedAt,
      deletionSeenAt: this.#deletionSeenAt,
      isVanished: this.#isVanished,
    });
    if (!end) return;
    const deadline = Math.min(end.deadline, this.#shutDownBy);
    if (!this.#ending || deadline < this.#ending.deadline) this.#terminate({ ...end, deadline });
  }

  /** Begins the end, or hastens it. */
  #terminate(ending: PodEnding): void {
    const { clock, events, volumes } = this.#options.parts;
    const { failure, deadline, why } = ending;
    if (failure && !this.#ending) {
      this.#failure = failure;
      events.record(this.#pod, 'Normal', failure.reason, failure.message);
    }
    this.#ending = ending;
    this.#state = 'terminating';
    volumes.unfollow(this.uid);
    this.#containers.end(Math.max(0, deadline - clock.now()), why);
  }

  #finish(): number {
    const { volumes, hostPorts } = this.#options.parts;
    volumes.unfollow(this.uid);
    hostPorts.close(this.uid);
    this.#state = 'finished';
    return this.#release();
  }

  /** Once the pod is gone from the API, nothing of it stays. */
  #release(): number {
    if (!this.#isVanished) return Infinity;
    // Whoever shuts down does not wait for what cannot be removed: the next agent finds it.
    const isGivenUp = this.#shutDownBy < Infinity && this.#home.hasRemovalFailed;
    if (!this.#home.isRemoved && !isGivenUp) return this.#home.remove(this.containers);
    this.#state = 'released';
    return Infinity;
  }
}

/** What volumes can show of a pod and can change. */
function shownFields({ metadata: { labels, annotations } }: Pod): object {
  return { labels, annotations };
}
