import { untilAborted } from '../../base/until-aborted.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { HandlerTarget } from '../probes/run-handler.ts';
import type { PulledImage, RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { containerReference, type TellEvent } from './container-event.ts';
import type { ContainerRun } from './container-run.ts';
import { containerStatus } from './container-status.ts';
import { launchContainer } from './launch-container.ts';
import { LiveRun } from './live-run.ts';
import { graceMsOf } from './pod-ending.ts';
import { isRestarted, NextStart } from './next-start.ts';
import type { PodSurroundings } from './pod-surroundings.ts';
import { RunHistory } from './run-history.ts';

export type ContainerWorkState = 'waiting' | 'pulling' | 'starting' | 'running' | 'stopping' | 'ended';

export interface ContainerWorkerOptions {
  readonly parts: AgentParts;
  readonly pod: Pod;
  readonly name: string;
  /** What the runtime has of it. */
  readonly found: readonly RunningContainer[];
  /** Something happened that its pod should look at. */
  readonly wake: () => void;
}

/**
 * Leads one container through its runs: `NextStart` says when each begins, `LiveRun` looks after it while it lasts, `containerStatus` tells how it
 * fares. It is in one of these states:
 *
 * - waiting: nothing runs; it is to be started at a given moment.
 * - pulling: its image is made ready. Nothing runs, and it can be given up at once.
 * - starting: the runtime makes it. Whoever wants it to end waits until it is there.
 * - running: it runs, and is probed.
 * - stopping: it was told to end: by a probe, a hook, another image, or the end of its pod.
 * - ended: nothing runs and nothing will.
 *
 * waiting -> pulling -> starting -> running; back to waiting from any of these when it fails or ends and its restart policy gives it another run, else to
 * ended. running -> stopping -> waiting or ended. Once its pod ends, every way leads to ended.
 */
export class ContainerWorker {
  readonly name: string;
  readonly #options: ContainerWorkerOptions;
  readonly #runs: RunHistory;
  readonly #nextStart: NextStart;
  /** Gives up what has begun of a start. */
  readonly #abandoning = new AbortController();
  readonly #tell: TellEvent;
  #pod: Pod;
  #state: ContainerWorkState = 'waiting';
  /** Behind the newest run, while that lasts. */
  #live: LiveRun | undefined;
  #surroundings: PodSurroundings | undefined;
  /** How it is to end, where that was said before it was there. */
  #stopOnceStarted: { readonly graceMs: number; readonly why: string } | undefined;
  #isEnding = false;

  constructor(options: ContainerWorkerOptions) {
    this.#options = options;
    const { pod, name, found } = options;
    const { clock, logger, events } = options.parts;
    this.#pod = pod;
    this.name = name;
    this.#tell = (...what) => events.record(containerReference(this.#pod, name), ...what);
    const status = this.#oldStatus;
    this.#runs = new RunHistory({ found, status, image: this.#spec.image, now: clock.now() });
    this.#nextStart = new NextStart({
      clock,
      logger,
      pod: pod.metadata.name,
      container: name,
      restartCount: status?.restartCount,
      tell: this.#tell,
    });
    const { newest, current } = this.#runs;
    if (current && !current.exit) this.#follow(current);
    else if (newest) this.#leave(newest);
  }

  get state(): ContainerWorkState {
    return this.#state;
  }

  /** When it is to be started next, in milliseconds since the epoch; Infinity while it is not waiting. */
  get startsAt(): number {
    return this.#state === 'waiting' ? this.#nextStart.waiting.until : Infinity;
  }

  get current(): RunningContainer | undefined {
    return this.#runs.current;
  }

  get previous(): RunningContainer | undefined {
    return this.#runs.previous;
  }

  get waitingReason(): string | undefined {
    return this.#isWaitingShown ? this.#nextStart.waiting.reason : undefined;
  }

  update(pod: Pod): void {
    this.#pod = pod;
  }

  /** The pod has its place: probes of what runs already can begin. */
  settleIn(surroundings: PodSurroundings): void {
    this.#surroundings = surroundings;
    if (this.#state === 'running') this.#live?.beginProbes();
  }

  /** Acts on what has happened since the last look. */
  look(): void {
    if (this.#live?.running.exit) this.#leave(this.#live.running);
    if (this.#state !== 'running') return;
    const { image } = this.#spec;
    if (this.#live?.isDead) this.#stop(graceMsOf(this.#pod), 'its liveness probe failed');
    else if (this.#runs.image !== undefined && this.#runs.image !== image) {
      this.#stop(graceMsOf(this.#pod), `its image is to be ${image} from now on`);
    }
  }

  /** Starts a waiting container. Never rejects; what goes wrong makes it wait again. */
  async start(): Promise<void> {
    const { runtime } = this.#options.parts;
    const container = this.#spec;
    this.#state = 'pulling';
    let image: PulledImage;
    try {
      image = await untilAborted(runtime.pull(container), this.#abandoning.signal);
    } catch (error) {
      this.#failToStart(error);
      return;
    }
    this.#tell('Normal', 'Pulled', `image ${container.image} is ready`);
    this.#state = 'starting';
    try {
      this.#begin(await this.#launch(container, image), container);
    } catch (error) {
      if (this.#isEnding) this.#state = 'ended';
      else this.#failToStart(error);
      return;
    }
    await this.#afterStart();
  }

  /** The container is to end for good, within this time. May be called again with less. */
  end(graceMs: number, why: string): void {
    this.#isEnding = true;
    this.#abandoning.abort(new Error('the pod ends'));
    switch (this.#state) {
      case 'waiting':
      case 'pulling':
        this.#state = 'ended';
        return;
      case 'starting':
        this.#stopOnceStarted = { graceMs, why };
        return;
      case 'running':
      case 'stopping':
        this.#stop(graceMs, why);
        return;
      case 'ended':
    }
  }

  /** Lets go of everything; what runs goes on. */
  close(): void {
    this.#abandoning.abort(new Error('the agent ends'));
    this.#live?.close();
  }

  status(): ContainerStatus {
    return containerStatus({
      spec: this.#spec,
      old: this.#oldStatus,
      runs: this.#runs,
      waiting: this.#isWaitingShown ? this.#nextStart.waiting : undefined,
      isReady: this.#live?.isReady ?? false,
    });
  }

  get #spec(): Container {
    return this.#pod.spec.containers.find(({ name }) => name === this.name)!;
  }

  get #oldStatus(): ContainerStatus | undefined {
    return this.#pod.status.containerStatuses?.find(({ name }) => name === this.name);
  }

  /** Whether its state is that it waits: before its first run, and when something keeps it from the next. */
  get #isWaitingShown(): boolean {
    return !this.#runs.newest || (this.#state === 'waiting' && this.#nextStart.isHeldBack);
  }

  get #target(): HandlerTarget {
    return {
      container: this.#spec,
      running: this.#runs.current!,
      ip: this.#surroundings?.podIP ?? this.#pod.status.podIP ?? '',
    };
  }

  #launch(container: Container, image: PulledImage): Promise<RunningContainer> {
    return launchContainer(this.#options.parts, {
      pod: this.#pod,
      container,
      surroundings: this.#surroundings!,
      image,
      attempt: this.#runs.nextAttempt,
      signal: this.#abandoning.signal,
    });
  }

  #begin(running: RunningContainer, { image }: Container): void {
    this.#runs.add(running, image);
    this.#nextStart.succeed();
    this.#tell('Normal', 'Created', `container ${running.id} is there`);
    this.#tell('Normal', 'Started', `container ${running.id} runs`);
    for (const warning of running.warnings) this.#tell('Warning', 'NotEnforced', warning);
    this.#follow(running);
  }

  async #afterStart(): Promise<void> {
    this.#options.wake();
    const live = this.#live!;
    if (this.#stopOnceStarted) {
      this.#stop(this.#stopOnceStarted.graceMs, this.#stopOnceStarted.why);
      return;
    }
    const outcome = await live.afterStart();
    if (this.#abandoning.signal.aborted || this.#state !== 'running') return;
    if (outcome.ok) {
      live.beginProbes();
      return;
    }
    this.#tell('Warning', 'FailedPostStartHook', outcome.message);
    this.#stop(graceMsOf(this.#pod), 'what it was to do after its start failed');
  }

  #follow(running: RunningContainer): void {
    const { clock, logger } = this.#options.parts;
    const { ready = false, containerID } = this.#oldStatus ?? {};
    this.#live = new LiveRun({
      clock,
      logger,
      running,
      isReady: !this.#spec.readinessProbe || (ready && containerID === running.id),
      getTarget: () => this.#target,
      tell: this.#tell,
      wake: this.#options.wake,
    });
    this.#state = 'running';
  }

  #stop(graceMs: number, why: string): void {
    this.#state = 'stopping';
    this.#live?.stop(graceMs, why);
  }

  /** The newest run is over: waits for the next one, or has ended. */
  #leave(run: ContainerRun): void {
    this.#live?.close();
    this.#live = undefined;
    const isOver = this.#isEnding || !isRestarted(this.#pod, run);
    this.#state = isOver ? 'ended' : 'waiting';
    if (!isOver) this.#nextStart.follow(run);
  }

  #failToStart(error: unknown): void {
    if (this.#abandoning.signal.aborted) return;
    this.#state = 'waiting';
    this.#nextStart.fail(error);
  }
}
