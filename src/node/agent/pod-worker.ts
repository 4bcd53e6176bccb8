import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { Backoff } from '../../client/backoff.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import type { PodStatus } from '../../kinds/core/pod/pod-status.ts';
import type { PodId, PodPlace, RunningContainer } from '../runtime.ts';
import type { HostedPod } from '../server/hosted-pods.ts';
import { VolumeError, volumesOf, type VolumeOwner } from '../volumes/volume.ts';
import type { Refusal } from './admission.ts';
import type { AgentParts } from './agent-parts.ts';
import { ContainerWorker } from './container-worker.ts';
import type { ReportedPod } from './pod-reports.ts';
import { podStatus } from './pod-status.ts';

export type PodWorkState = 'pending' | 'running' | 'terminating' | 'finished' | 'released';

export interface PodWorkerOptions {
  readonly parts: AgentParts;
  readonly pod: Pod;
  /** Its containers that the runtime has already. */
  readonly found: readonly RunningContainer[];
  /** Why it is not to run at all. */
  readonly refusal?: Refusal;
  /** It should be looked at. */
  wake(): void;
}

/** Why and by when a pod is to end. */
interface Ending {
  /** In milliseconds since the epoch. */
  readonly deadline: number;
  readonly why: string;
  readonly failure?: Refusal;
}

const prepareRetries = { firstMs: 500, longestMs: 2 * 60_000 };
const releaseRetries = { firstMs: 1000, longestMs: 5 * 60_000 };

/**
 * Leads one pod through its life on this node. It is in one of these states:
 *
 * - pending: it is given an address and its volumes, again and again while that fails.
 * - running: its containers are started one after the other, and each is led through its runs (pulling, running, waiting; see `ContainerWorker`).
 * - terminating: every container is told to end: the pod was deleted, is gone from the API, or has been active for too long.
 * - finished: nothing runs and nothing will. The pod stays for its status and its logs until it is gone from the API.
 * - released: nothing of it is left on this machine.
 *
 * pending -> running -> finished, when all containers have ended for good. pending, running -> terminating -> finished. finished -> released, once it
 * is gone from the API. A pod that the node does not take on, or that had ended before, begins as finished.
 */
export class PodWorker implements HostedPod, ReportedPod {
  readonly uid: string;
  readonly id: PodId;
  readonly containers: readonly ContainerWorker[];
  readonly #options: PodWorkerOptions;
  readonly #acceptedAt: number;
  readonly #prepareFailures = new Backoff(prepareRetries);
  readonly #releaseFailures = new Backoff(releaseRetries);
  #pod: Pod;
  #state: PodWorkState = 'pending';
  #failure: Refusal | undefined;
  #place: PodPlace | undefined;
  #ending: Ending | undefined;
  #deletionSeenAt: number | undefined;
  #isVanished = false;
  #shutDownBy = Infinity;
  /** Something is under way that must not happen twice at the same time, and that the end waits for. */
  #isPreparing = false;
  #isStarting = false;
  #isReleasing = false;
  #isRefreshing = false;
  #isClosed = false;
  #retryAt = 0;
  #mustRefresh = false;

  constructor(options: PodWorkerOptions) {
    this.#options = options;
    const { pod, parts, found, refusal } = options;
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    this.#pod = pod;
    this.uid = uid;
    this.id = { namespace, name, uid };
    this.#failure = refusal;
    const { startTime } = pod.status;
    this.#acceptedAt = startTime === undefined ? parts.clock.now() : Date.parse(startTime);
    this.containers = pod.spec.containers.map(
      ({ name }) =>
        new ContainerWorker({
          parts,
          pod,
          name,
          found: found.filter((container) => container.name === name),
          wake: () => options.wake(),
        }),
    );
    if (refusal || isFinished(pod)) this.#beginFinished();
  }

  get pod(): Pod {
    return this.#pod;
  }

  get state(): PodWorkState {
    return this.#state;
  }

  get podIP(): string | undefined {
    return this.#pod.spec.hostNetwork ? this.#options.parts.hostIP : (this.#place?.ip ?? this.#pod.status.podIP);
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
    return this.#state !== 'finished' && this.#state !== 'released' && !this.#isVanished;
  }

  /** Whether its object can go: it is to, and nothing runs any more. */
  get isDeletable(): boolean {
    return this.#state === 'finished' && this.#pod.metadata.deletionTimestamp !== undefined;
  }

  /** The pod as the API has it now. */
  update(pod: Pod): void {
    if (!isDeepStrictEqual(shownFields(pod), shownFields(this.#pod))) this.#mustRefresh = true;
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) this.#deletionSeenAt ??= this.#options.parts.clock.now();
    for (const container of this.containers) container.update(pod);
  }

  /** The pod is gone from the API. */
  vanish(last: Pod): void {
    this.update(last);
    this.#isVanished = true;
  }

  /** The pod is to end here within this time, whatever it says itself; nothing of it is to stay. */
  shutDown(graceMs: number): void {
    this.#isVanished = true;
    this.#shutDownBy = this.#options.parts.clock.now() + graceMs;
  }

  /** What its volumes show has changed. */
  refreshVolumes(): void {
    this.#mustRefresh = true;
  }

  /** Moves on as far as possible; gives the moment of the next look, Infinity for when something happens. */
  look(): number {
    if (this.#isClosed) return Infinity;
    for (const container of this.containers) container.look();
    this.#noticeEnd();
    switch (this.#state) {
      case 'pending':
        return this.#prepare();
      case 'running':
        return this.#runContainers();
      case 'terminating':
        if (!this.#hasEnded) return Infinity;
        this.#finish();
        return this.#release();
      case 'finished':
        return this.#release();
      default:
        return Infinity;
    }
  }

  /** Lets go of everything; what runs goes on. */
  close(): void {
    this.#isClosed = true;
    for (const container of this.containers) container.close();
  }

  /** Its status, beside what others have written into that of `over`. */
  statusOver(over: Pod): PodStatus {
    const { parts } = this.#options;
    // How it ended is known, whoever said so; nothing that is seen now makes a difference.
    if (isFinished(over)) return over.status;
    const isOver = this.#state === 'finished' || this.#state === 'released';
    return podStatus(over, {
      containers: this.#failure && !this.#place ? [] : this.containers.map((container) => container.status()),
      podIP: this.podIP,
      hostIP: parts.hostIP,
      acceptedAt: this.#acceptedAt,
      now: parts.clock.now(),
      failure: this.#failure,
      isOver,
    });
  }

  /** A pod that has ended before: what still runs of it is stopped. */
  #beginFinished(): void {
    if (this.containers.some(({ state }) => state === 'running')) {
      this.#begin({ deadline: this.#options.parts.clock.now() + this.#graceMs, why: 'the pod has ended' });
      return;
    }
    for (const container of this.containers) container.end(0, '');
    this.#state = 'finished';
  }

  get #graceMs(): number {
    return (this.#pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  }

  /** When the pod has been active for as long as it may be. */
  get #activeUntil(): number {
    return this.#acceptedAt + (this.#pod.spec.activeDeadlineSeconds ?? Infinity) * 1000;
  }

  #noticeEnd(): void {
    if (this.#state === 'finished' || this.#state === 'released') return;
    const end = this.#wantedEnd();
    if (!end) return;
    const wanted = { ...end, deadline: Math.min(end.deadline, this.#shutDownBy) };
    if (!this.#ending) this.#begin(wanted);
    else if (wanted.deadline < this.#ending.deadline) this.#hasten(wanted);
  }

  #wantedEnd(): Ending | undefined {
    const now = this.#options.parts.clock.now();
    const { deletionTimestamp, deletionGracePeriodSeconds } = this.#pod.metadata;
    const graceMs = deletionGracePeriodSeconds === undefined ? this.#graceMs : deletionGracePeriodSeconds * 1000;
    if (deletionTimestamp !== undefined) {
      return { deadline: (this.#deletionSeenAt ?? now) + graceMs, why: 'the pod is deleted' };
    }
    if (this.#isVanished) return { deadline: now + graceMs, why: 'the pod is gone' };
    if (isFinished(this.#pod)) return { deadline: now + graceMs, why: 'the pod was declared as ended' };
    if (now < this.#activeUntil) return undefined;
    const { activeDeadlineSeconds } = this.#pod.spec;
    const message = `the pod was active for longer than the ${activeDeadlineSeconds} seconds that it may be`;
    return { deadline: now + graceMs, why: message, failure: { reason: 'DeadlineExceeded', message } };
  }

  #begin(ending: Ending): void {
    const { parts } = this.#options;
    this.#ending = ending;
    this.#state = 'terminating';
    if (ending.failure) {
      this.#failure = ending.failure;
      parts.events.record(this.#pod, 'Normal', ending.failure.reason, ending.failure.message);
    }
    parts.volumes.unfollow(this.uid);
    this.#endContainers(ending);
  }

  #hasten(ending: Ending): void {
    this.#ending = ending;
    this.#endContainers(ending);
  }

  #endContainers({ deadline, why }: Ending): void {
    const graceMs = Math.max(0, deadline - this.#options.parts.clock.now());
    for (const container of this.containers) container.end(graceMs, why);
  }

  #finish(): void {
    const { volumes, hostPorts } = this.#options.parts;
    volumes.unfollow(this.uid);
    hostPorts.close(this.uid);
    this.#state = 'finished';
  }

  get #hasEnded(): boolean {
    return !this.#isPreparing && !this.#isStarting && this.containers.every(({ state }) => state === 'ended');
  }

  #prepare(): number {
    const { clock, work } = this.#options.parts;
    if (!this.#isPreparing && clock.now() >= this.#retryAt) {
      this.#isPreparing = true;
      work.run(() => this.#makeReady());
    }
    return Math.min(this.#isPreparing ? Infinity : this.#retryAt, this.#activeUntil);
  }

  async #makeReady(): Promise<void> {
    const { runtime, volumes, clock, events } = this.#options.parts;
    try {
      const place = (this.#place ??= await runtime.preparePod(this.#pod));
      const ready = await volumes.setUp(this.#volumeOwner(place));
      const surroundings = { place, podIP: this.podIP ?? place.ip, volumes: ready };
      if (this.#state === 'pending' && !this.#isClosed) {
        this.#state = 'running';
        this.#mustRefresh = false;
        for (const container of this.containers) container.settleIn(surroundings);
        for (const { warning } of ready.values())
          if (warning) events.record(this.#pod, 'Warning', 'NotEnforced', warning);
        this.#options.parts.hostPorts.open(this.#pod, surroundings.podIP, place.hasOwnPorts);
      }
    } catch (error) {
      this.#retryAt = clock.now() + this.#prepareFailures.next();
      this.#tellFailure(error);
    } finally {
      this.#isPreparing = false;
      this.#options.wake();
    }
  }

  #tellFailure(error: unknown): void {
    if (this.#isClosed || this.#state !== 'pending') return;
    const { events, logger } = this.#options.parts;
    const isExpected = error instanceof VolumeError;
    const message = error instanceof Error ? error.message : String(error);
    if (!isExpected) logger.error('a pod could not be made ready', { ...this.id, error });
    events.record(this.#pod, 'Warning', isExpected ? 'FailedMount' : 'FailedSync', message);
  }

  #volumeOwner(place: PodPlace): VolumeOwner {
    const { hostIP } = this.#options.parts;
    return {
      pod: this.#pod,
      directory: volumesOf(place.directory),
      whereabouts: { podIP: this.podIP ?? place.ip, hostIP },
    };
  }

  #runContainers(): number {
    const { clock, work } = this.#options.parts;
    if (this.#mustRefresh) this.#refresh();
    if (this.#hasEnded) {
      this.#finish();
      return this.#release();
    }
    const next = this.containers.find(({ startsAt }) => startsAt <= clock.now());
    if (next && !this.#isStarting) {
      this.#isStarting = true;
      work.run(() => this.#start(next));
    }
    // What is due while another one is started gets its turn after that.
    const later = this.containers.map(({ startsAt }) => startsAt).filter((at) => at > clock.now());
    return Math.min(this.#activeUntil, ...later);
  }

  async #start(container: ContainerWorker): Promise<void> {
    await container.start();
    this.#isStarting = false;
    this.#options.wake();
  }

  #refresh(): void {
    const place = this.#place;
    if (!place || this.#isRefreshing) return;
    this.#mustRefresh = false;
    if (!this.#pod.spec.volumes) return;
    this.#isRefreshing = true;
    this.#options.parts.work.run(() => this.#refreshFiles(place));
  }

  async #refreshFiles(place: PodPlace): Promise<void> {
    const { volumes, logger } = this.#options.parts;
    try {
      await volumes.refresh(this.#volumeOwner(place));
    } catch (error) {
      logger.warn('the files of a volume could not be brought up to date', { ...this.id, error });
    } finally {
      this.#isRefreshing = false;
      this.#options.wake();
    }
  }

  /** Frees everything once the pod is gone from the API. */
  #release(): number {
    const { clock, work } = this.#options.parts;
    if (!this.#isVanished || this.#isReleasing || this.#isRefreshing) return Infinity;
    if (clock.now() < this.#retryAt) return this.#retryAt;
    this.#isReleasing = true;
    work.run(() => this.#free());
    return Infinity;
  }

  async #free(): Promise<void> {
    const { runtime, volumes, clock, logger } = this.#options.parts;
    try {
      // A pod that was never made ready may have a place from an earlier agent.
      if (this.#place) await volumes.tearDown(this.uid, volumesOf(this.#place.directory));
      for (const { current, previous } of this.containers) {
        await current?.remove();
        await previous?.remove();
      }
      await runtime.releasePod(this.id);
      this.#state = 'released';
    } catch (error) {
      this.#retryAt = clock.now() + this.#releaseFailures.next();
      logger.warn('what a pod has left could not be removed; trying again', { ...this.id, error });
    } finally {
      this.#isReleasing = false;
      this.#options.wake();
    }
  }
}

/** What volumes can show of a pod and can change. */
function shownFields({ metadata: { labels, annotations } }: Pod): object {
  return { labels, annotations };
}
