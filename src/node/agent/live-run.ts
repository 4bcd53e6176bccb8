import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { runHandler, type HandlerOutcome, type HandlerTarget } from '../probes/run-handler.ts';
import type { RunningContainer } from '../runtime.ts';
import type { TellEvent } from './container-event.ts';
import { ContainerProbes } from './container-probes.ts';
import { ContainerStop } from './container-stop.ts';

export interface LiveRunOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly running: RunningContainer;
  /** What counts until a probe has said otherwise. */
  readonly isReady: boolean;
  /** The container as its hooks and probes reach it at the moment. */
  readonly getTarget: () => HandlerTarget;
  readonly tell: TellEvent;
  /** It has ended, its readiness has changed, or it is dead. */
  readonly wake: () => void;
}

const longestPostStartMs = 10 * 60_000;

/** Acts on one run of a container while it lasts: its hook after the start, its probes, and its end. */
export class LiveRun {
  readonly running: RunningContainer;
  readonly #options: LiveRunOptions;
  /** Gives up the hook after the start. */
  readonly #abandoning = new AbortController();
  #probes: ContainerProbes | undefined;
  #stop: ContainerStop | undefined;
  #isDead = false;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    const { running, logger } = options;
    this.running = running;
    running.exited.then(
      () => options.wake(),
      (error: unknown) => logger.error('nobody knows how a container ended', { container: running.id, error }),
    );
  }

  get isReady(): boolean {
    const { running, isReady } = this.#options;
    return !running.exit && (this.#probes?.isReady ?? isReady);
  }

  /** Whether it runs and does not work any more. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Does what is to be done after the start. Takes no longer than the run. */
  async afterStart(): Promise<HandlerOutcome> {
    const { clock, getTarget } = this.#options;
    const target = getTarget();
    const { postStart } = target.container.lifecycle ?? {};
    if (!postStart) return { ok: true };
    const limits = { clock, timeoutMs: longestPostStartMs, signal: this.#abandoning.signal };
    return runHandler(postStart, target, limits);
  }

  /** Those that have begun go on. */
  beginProbes(): void {
    const { clock, running, isReady, getTarget, tell, wake } = this.#options;
    this.#probes ??= new ContainerProbes({
      clock,
      target: getTarget(),
      startedAt: running.startedAt,
      isReady,
      onFailure: (which, message) => tell('Warning', 'Unhealthy', `${which} probe failed: ${message}`),
      onReadiness: wake,
      onDeath: () => {
        this.#isDead = true;
        wake();
      },
    });
  }

  /** It is to end within this time. May be called again with less. */
  stop(graceMs: number, why: string): void {
    if (this.#stop) {
      this.#stop.hasten(graceMs);
      return;
    }
    const { clock, logger, running, getTarget, tell } = this.#options;
    this.#abandoning.abort();
    this.#probes?.close();
    tell('Normal', 'Killing', `container ${running.id} is stopped: ${why}`);
    this.#stop = new ContainerStop({
      clock,
      logger,
      target: getTarget(),
      running,
      graceMs,
      onHookFailure: (message) => tell('Warning', 'FailedPreStopHook', message),
    });
  }

  /** Lets go of it; what runs goes on. */
  close(): void {
    this.#abandoning.abort();
    this.#probes?.close();
    this.#stop?.close();
  }
}
