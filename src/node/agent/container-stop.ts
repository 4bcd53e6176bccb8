import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { runHandler, type HandlerTarget } from '../probes/run-handler.ts';
import type { RunningContainer } from '../runtime.ts';

export interface ContainerStopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly target: HandlerTarget;
  readonly running: RunningContainer;
  readonly graceMs: number;
  onHookFailure(message: string): void;
}

/** Whatever the hook has used up, this much is left for the signal to be heeded. */
const leastMs = 2000;
const retryMs = 5000;

/**
 * Ends a container in good order. States: hook (what it wants to do before it ends) -> signalled (TERM, and KILL when the grace is over) -> done, which
 * the container itself tells. The grace covers both and can be made shorter on the way.
 */
export class ContainerStop {
  readonly #options: ContainerStopOptions;
  readonly #hook = new AbortController();
  #state: 'hook' | 'signalled' | 'closed' = 'hook';
  /** By the clock's ticks, for its time may be set back. */
  #deadline: number;
  #timer: Timer | undefined;

  constructor(options: ContainerStopOptions) {
    this.#options = options;
    this.#deadline = options.clock.ticks() + options.graceMs;
    void this.#run();
  }

  /** Leaves at most this much time from now on. */
  hasten(graceMs: number): void {
    const { clock } = this.#options;
    const deadline = clock.ticks() + graceMs;
    if (this.#state === 'closed' || deadline >= this.#deadline) return;
    this.#deadline = deadline;
    if (this.#state === 'hook') this.#limitHook();
    else this.#signal(graceMs);
  }

  /** Does nothing more; what was signalled stays so. */
  close(): void {
    this.#state = 'closed';
    this.#timer?.cancel();
    this.#hook.abort();
  }

  async #run(): Promise<void> {
    const { target, clock, graceMs } = this.#options;
    const { preStop } = target.container.lifecycle ?? {};
    if (preStop && graceMs > 0) {
      this.#limitHook();
      const outcome = await runHandler(preStop, target, { clock, timeoutMs: graceMs, signal: this.#hook.signal });
      this.#timer?.cancel();
      if (this.#state === 'closed') return;
      if (!outcome.ok) this.#options.onHookFailure(outcome.message);
    }
    this.#state = 'signalled';
    this.#signal(Math.max(this.#deadline - clock.ticks(), Math.min(leastMs, graceMs)));
  }

  #limitHook(): void {
    this.#timer?.cancel();
    const { clock } = this.#options;
    this.#timer = clock.after(this.#deadline - clock.ticks(), () => this.#hook.abort());
  }

  #signal(graceMs: number): void {
    const { running, clock, logger } = this.#options;
    running.stop(graceMs).catch((error: unknown) => {
      if (this.#state === 'closed' || running.exit) return;
      logger.error('a container could not be stopped; trying again', { container: running.id, error });
      this.#timer?.cancel();
      this.#timer = clock.after(retryMs, () => this.#signal(0));
    });
  }
}
