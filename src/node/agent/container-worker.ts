import { shortDuration } from '../../base/short-duration.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { Backoff } from '../../client/backoff.ts';
import type { EventType } from '../../client/event-recorder.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { ContainerState, ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import { ConfigError } from '../environment/container-environment.ts';
import { runHandler, type HandlerTarget } from '../probes/run-handler.ts';
import { RuntimeError, type PulledImage, type RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { planContainer } from './container-plan.ts';
import { ContainerProbes } from './container-probes.ts';
import { newestFirst, runFromStatus, runState, type ContainerRun } from './container-run.ts';
import { ContainerStop } from './container-stop.ts';
import type { PodSurroundings } from './pod-surroundings.ts';
import { RestartBackoff } from './restart-backoff.ts';

export type ContainerWorkState = 'waiting' | 'pulling' | 'starting' | 'running' | 'stopping' | 'ended';

export interface ContainerWorkerOptions {
  readonly parts: AgentParts;
  readonly pod: Pod;
  readonly name: string;
  /** What the runtime has of it. */
  readonly found: readonly RunningContainer[];
  /** Something happened that its pod should look at. */
  wake(): void;
}

interface Waiting {
  readonly reason: string;
  readonly message?: string;
  /** When it is to be started, in milliseconds since the epoch. */
  readonly until: number;
}

const startRetries = { firstMs: 10_000, longestMs: 5 * 60_000 };
/** What is missing is often there a moment later. */
const configRetries = { firstMs: 1000, longestMs: 10_000 };
const longestPostStartMs = 10 * 60_000;

/**
 * Leads one container through its runs. It is in one of these states:
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
  readonly #restarts: RestartBackoff;
  readonly #startFailures = new Backoff(startRetries);
  readonly #configFailures = new Backoff(configRetries);
  /** Gives up pulling, and hooks after the start. */
  readonly #abandoning = new AbortController();
  #pod: Pod;
  #state: ContainerWorkState = 'waiting';
  #waiting: Waiting = { reason: 'ContainerCreating', until: 0 };
  /** The newest run, whether it still runs or has ended. */
  #current: ContainerRun | undefined;
  /** Behind `#current`, where the runtime has it. */
  #running: RunningContainer | undefined;
  #previous: ContainerRun | undefined;
  /** As the pod's spec had it when the newest run began. */
  #image: string | undefined;
  #surroundings: PodSurroundings | undefined;
  #probes: ContainerProbes | undefined;
  #stop: ContainerStop | undefined;
  /** How it is to end, where that was said before it was there. */
  #stopOnceStarted: { readonly graceMs: number; readonly why: string } | undefined;
  #isEnding = false;
  #isDead = false;

  constructor(options: ContainerWorkerOptions) {
    this.#options = options;
    this.#pod = options.pod;
    this.name = options.name;
    const old = this.#oldStatus;
    this.#restarts = new RestartBackoff(old?.restartCount);
    const [newest, older] = newestFirst(options.found);
    this.#running = newest;
    this.#current = newest ?? runFromStatus(old, options.parts.clock.now());
    this.#previous = older;
    this.#image = old?.image;
    if (newest && !newest.exit) this.#follow(newest);
    else if (this.#current) this.#leave();
  }

  get state(): ContainerWorkState {
    return this.#state;
  }

  /** When it is to be started next, in milliseconds since the epoch; Infinity while it is not waiting. */
  get startsAt(): number {
    return this.#state === 'waiting' ? this.#waiting.until : Infinity;
  }

  /** The newest run, while the runtime has it. */
  get current(): RunningContainer | undefined {
    return this.#running;
  }

  /** The run before, for its log. */
  get previous(): RunningContainer | undefined {
    return this.#previous && 'logs' in this.#previous ? (this.#previous as RunningContainer) : undefined;
  }

  /** How the last run ended; nothing while there is none, or it runs. */
  get exitCode(): number | undefined {
    return this.#current?.exit?.code;
  }

  get waitingReason(): string | undefined {
    return this.#current && !this.#isWaitingShown ? undefined : this.#waiting.reason;
  }

  get isReady(): boolean {
    if (!this.#current || this.#current.exit) return false;
    if (this.#probes) return this.#probes.isReady;
    // Until the probes have begun, what was last said of this run counts.
    return !this.#spec.readinessProbe || (this.#isAsReported && (this.#oldStatus?.ready ?? false));
  }

  update(pod: Pod): void {
    this.#pod = pod;
  }

  /** The pod has its place: probes of what runs already can begin. */
  settleIn(surroundings: PodSurroundings): void {
    this.#surroundings = surroundings;
    if (this.#state === 'running' && !this.#probes) this.#beginProbes();
  }

  /** Acts on what has happened since the last look. */
  look(): void {
    const { terminationGracePeriodSeconds = 30 } = this.#pod.spec;
    if ((this.#state === 'running' || this.#state === 'stopping') && this.#current?.exit) this.#leave();
    if (this.#state !== 'running') return;
    const graceMs = terminationGracePeriodSeconds * 1000;
    if (this.#isDead) this.#beginStop(graceMs, 'its liveness probe failed');
    else if (this.#image !== undefined && this.#image !== this.#spec.image) {
      this.#beginStop(graceMs, `its image is to be ${this.#spec.image} from now on`);
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
      if (!this.#isGivenUp) this.#failToStart(error);
      return;
    }
    this.#tell('Normal', 'Pulled', `image ${container.image} is ready`);
    this.#state = 'starting';
    try {
      await this.#run(container, image);
    } catch (error) {
      if (this.#isEnding) this.#state = 'ended';
      else if (!this.#isGivenUp) this.#failToStart(error);
      return;
    }
    await this.#afterStart(container);
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
        this.#beginStop(graceMs, why);
        return;
      case 'stopping':
        this.#stop?.hasten(graceMs);
        return;
      case 'ended':
    }
  }

  /** Lets go of everything; what runs goes on. */
  close(): void {
    this.#abandoning.abort(new Error('the agent ends'));
    this.#probes?.close();
    this.#stop?.close();
  }

  status(): ContainerStatus {
    const { image } = this.#spec;
    const old = this.#oldStatus;
    const lastState = this.#isWaitingShown ? this.#current : this.#previous;
    return {
      name: this.name,
      state: this.#shownState(),
      lastState: lastState?.exit ? runState(lastState) : (old?.lastState ?? {}),
      ready: this.isReady,
      restartCount: this.#current?.attempt ?? old?.restartCount ?? 0,
      image: (this.#current && this.#image) ?? image,
      imageID: this.#current?.imageId ?? '',
      ...(this.#current && { containerID: this.#current.id }),
    };
  }

  get #spec(): Container {
    return this.#pod.spec.containers.find(({ name }) => name === this.name)!;
  }

  get #oldStatus(): ContainerStatus | undefined {
    return this.#pod.status.containerStatuses?.find(({ name }) => name === this.name);
  }

  get #isGivenUp(): boolean {
    return this.#abandoning.signal.aborted;
  }

  /** Whether its state is that it waits: before its first run, and when something keeps it from the next. */
  get #isWaitingShown(): boolean {
    return !this.#current || (this.#state === 'waiting' && this.#waiting.reason !== 'ContainerCreating');
  }

  #shownState(): ContainerState {
    if (this.#current && !this.#isWaitingShown) return runState(this.#current);
    const { reason, message } = this.#waiting;
    return { waiting: { reason, ...(message && { message }) } };
  }

  async #run(container: Container, image: PulledImage): Promise<void> {
    const { runtime, environment, hostIP } = this.#options.parts;
    const surroundings = this.#surroundings!;
    const whereabouts = { podIP: surroundings.podIP, hostIP };
    const command = await environment.resolve(this.#pod, container, whereabouts);
    // Everything up to here can be thrown away.
    this.#abandoning.signal.throwIfAborted();
    const attempt = this.#current ? this.#current.attempt + 1 : 0;
    const running = await runtime.start(planContainer({ pod: this.#pod, container, surroundings, image, attempt, command })); // prettier-ignore
    this.#previous = this.#current;
    this.#image = container.image;
    this.#isDead = false;
    this.#startFailures.reset();
    this.#configFailures.reset();
    this.#tell('Normal', 'Created', `container ${running.id} is there`);
    this.#tell('Normal', 'Started', `container ${running.id} runs`);
    for (const warning of running.warnings) this.#tell('Warning', 'NotEnforced', warning);
    this.#follow(running);
  }

  async #afterStart(container: Container): Promise<void> {
    this.#options.wake();
    const { postStart } = container.lifecycle ?? {};
    if (this.#stopOnceStarted) {
      this.#beginStop(this.#stopOnceStarted.graceMs, this.#stopOnceStarted.why);
      return;
    }
    if (postStart) {
      const { clock } = this.#options.parts;
      const limits = { clock, timeoutMs: longestPostStartMs, signal: this.#abandoning.signal };
      const outcome = await runHandler(postStart, this.#target, limits);
      if (this.#isGivenUp || this.#state !== 'running') return;
      if (!outcome.ok) {
        this.#tell('Warning', 'FailedPostStartHook', outcome.message);
        const { terminationGracePeriodSeconds = 30 } = this.#pod.spec;
        this.#beginStop(terminationGracePeriodSeconds * 1000, 'what it was to do after its start failed');
        return;
      }
    }
    if (this.#state === 'running') this.#beginProbes();
  }

  get #target(): HandlerTarget {
    return { container: this.#spec, running: this.#running!, ip: this.#surroundings?.podIP ?? '' };
  }

  #follow(running: RunningContainer): void {
    this.#current = running;
    this.#running = running;
    this.#state = 'running';
    running.exited.then(
      () => this.#options.wake(),
      (error: unknown) =>
        this.#options.parts.logger.error('nobody knows how a container ended', { container: running.id, error }),
    );
  }

  #beginProbes(): void {
    const { clock } = this.#options.parts;
    this.#probes = new ContainerProbes({
      clock,
      target: this.#target,
      startedAt: this.#current!.startedAt,
      isReady: this.isReady,
      onFailure: (which, message) => this.#tell('Warning', 'Unhealthy', `${which} probe failed: ${message}`),
      onReadiness: () => this.#options.wake(),
      onDeath: () => {
        this.#isDead = true;
        this.#options.wake();
      },
    });
  }

  /** Whether what the pod's status says is about the run that is there now. */
  get #isAsReported(): boolean {
    return this.#oldStatus?.containerID === this.#current?.id;
  }

  #beginStop(graceMs: number, why: string): void {
    const { clock, logger } = this.#options.parts;
    const running = this.#running!;
    this.#state = 'stopping';
    this.#probes?.close();
    this.#tell('Normal', 'Killing', `container ${running.id} is stopped: ${why}`);
    this.#stop = new ContainerStop({
      clock,
      logger,
      target: this.#target,
      running,
      graceMs,
      onHookFailure: (message) => this.#tell('Warning', 'FailedPreStopHook', message),
    });
  }

  /** The current run is over: waits for the next one, or has ended. */
  #leave(): void {
    const run = this.#current!;
    this.#probes?.close();
    this.#probes = undefined;
    this.#stop?.close();
    this.#stop = undefined;
    const { code = 0, finishedAt = 0 } = run.exit ?? {};
    const { restartPolicy = 'Always' } = this.#pod.spec;
    const isRestarted = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && code !== 0);
    if (this.#isEnding || !isRestarted) {
      this.#state = 'ended';
      return;
    }
    this.#state = 'waiting';
    const wait = this.#restarts.next(run);
    if (wait === 0) {
      this.#waiting = { reason: 'ContainerCreating', until: 0 };
      return;
    }
    const message = `back-off ${shortDuration(wait)} restarting failed container ${this.name}`;
    this.#waiting = { reason: 'CrashLoopBackOff', message, until: finishedAt + wait };
    this.#tell('Warning', 'BackOff', message);
  }

  #failToStart(error: unknown): void {
    const { clock, logger } = this.#options.parts;
    const isConfig = error instanceof ConfigError;
    const reason = isConfig ? 'CreateContainerConfigError' : reasonOf(error);
    const message = error instanceof Error ? error.message : String(error);
    if (!isConfig && !(error instanceof RuntimeError)) {
      logger.error('a container could not be started', { pod: this.#pod.metadata.name, container: this.name, error });
    }
    const isAgain = this.#waiting.reason === reason || this.#waiting.reason === 'ImagePullBackOff';
    this.#state = 'waiting';
    const wait = isConfig ? this.#configFailures.next() : this.#startFailures.next();
    // As people know it: the first failure shows by its own name, then that it is tried ever more rarely.
    const shown = reason === 'ErrImagePull' && isAgain ? 'ImagePullBackOff' : reason;
    this.#waiting = { reason: shown, message, until: clock.now() + wait };
    this.#tell('Warning', 'Failed', message);
    if (shown === 'ImagePullBackOff') this.#tell('Normal', 'BackOff', `back-off ${shortDuration(wait)} pulling image`);
  }

  #tell(type: EventType, reason: string, message: string): void {
    const { namespace, name, uid, resourceVersion } = this.#pod.metadata;
    const fieldPath = `spec.containers{${this.name}}`;
    const about = { kind: 'Pod', apiVersion: 'v1', namespace, name, uid, resourceVersion, fieldPath };
    this.#options.parts.events.record(about, type, reason, message);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof RuntimeError ? error.reason : 'RunContainerError';
}
