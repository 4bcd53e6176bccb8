import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { shortDuration } from '../../base/short-duration.ts';
import { Backoff } from '../../client/backoff.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { ConfigError } from '../environment/container-environment.ts';
import { RuntimeError } from '../runtime.ts';
import type { TellEvent } from './container-event.ts';
import type { ContainerRun } from './container-run.ts';
import { RestartBackoff } from './restart-backoff.ts';

/** Why a container does not run, and until when. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string;
  /** When it is to be started, in milliseconds since the epoch. */
  readonly until: number;
}

export interface NextStartOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pod: string | undefined;
  readonly container: string;
  /** How often the container was started again before. */
  readonly restartCount: number | undefined;
  readonly tell: TellEvent;
}

const startRetries = { firstMs: 10_000, longestMs: 5 * 60_000 };
/** What is missing is often there a moment later. */
const configRetries = { firstMs: 1000, longestMs: 10_000 };
const atOnce: Waiting = { reason: 'ContainerCreating', until: 0 };

/** Whether the policy of its pod gives a container another run after this one. */
export function isRestarted({ spec: { restartPolicy = 'Always' } }: Pod, { exit }: ContainerRun): boolean {
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exit !== undefined && exit.code !== 0);
}

/** Decides when a container is started next: at once at first, then after waits that grow with every crash and every failure to start. */
export class NextStart {
  readonly #options: NextStartOptions;
  readonly #restarts: RestartBackoff;
  readonly #startFailures = new Backoff(startRetries);
  readonly #configFailures = new Backoff(configRetries);
  #waiting = atOnce;

  constructor(options: NextStartOptions) {
    this.#options = options;
    this.#restarts = new RestartBackoff(options.restartCount);
  }

  get waiting(): Waiting {
    return this.#waiting;
  }

  /** Whether something keeps the container from its next start, so that its status says so. */
  get isHeldBack(): boolean {
    return this.#waiting !== atOnce;
  }

  /** A run has begun. */
  succeed(): void {
    this.#startFailures.reset();
    this.#configFailures.reset();
  }

  /** A run is over, and there is to be another one. */
  follow(run: ContainerRun): void {
    const { clock, container, tell } = this.#options;
    const wait = this.#restarts.next(run);
    if (wait === 0) {
      this.#waiting = atOnce;
      return;
    }
    const message = `back-off ${shortDuration(wait)} restarting failed container ${container}`;
    // The clock may have been set back since the end.
    const endedAt = Math.min(run.exit?.finishedAt ?? 0, clock.now());
    this.#waiting = { reason: 'CrashLoopBackOff', message, until: endedAt + wait };
    tell('Warning', 'BackOff', message);
  }

  /** No run has come of it. */
  fail(error: unknown): void {
    const { clock, tell } = this.#options;
    const isConfig = error instanceof ConfigError;
    const reason = this.#reasonOf(error);
    const message = error instanceof Error ? error.message : String(error);
    const isAgain = this.#waiting.reason === reason || this.#waiting.reason === 'ImagePullBackOff';
    const wait = isConfig ? this.#configFailures.next() : this.#startFailures.next();
    // As people know it: the first failure shows by its own name, then that it is tried ever more rarely.
    const shown = reason === 'ErrImagePull' && isAgain ? 'ImagePullBackOff' : reason;
    this.#waiting = { reason: shown, message, until: clock.now() + wait };
    tell('Warning', 'Failed', message);
    if (shown === 'ImagePullBackOff') tell('Normal', 'BackOff', `back-off ${shortDuration(wait)} pulling image`);
  }

  #reasonOf(error: unknown): string {
    if (error instanceof ConfigError) return 'CreateContainerConfigError';
    if (error instanceof RuntimeError) return error.reason;
    const { logger, pod, container } = this.#options;
    logger.error('a container could not be started', { pod, container, error });
    return 'RunContainerError';
  }
}
