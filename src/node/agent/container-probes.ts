import type { Clock } from '../../base/clock.ts';
import type { Probe } from '../../kinds/core/pod/probe.ts';
import { ProbeLoop } from '../probes/probe-loop.ts';
import { runHandler, type HandlerTarget } from '../probes/run-handler.ts';

export interface ContainerProbesOptions {
  readonly clock: Clock;
  readonly target: HandlerTarget;
  readonly startedAt: number;
  /** Whether the container counts as ready until its readiness probe has said otherwise. */
  readonly isReady: boolean;
  onFailure(which: 'Liveness' | 'Readiness', message: string): void;
  /** Whether it is ready has changed. */
  onReadiness(): void;
  /** The container does not work any more. */
  onDeath(): void;
}

/** The probes of one run of a container. */
export class ContainerProbes {
  readonly #options: ContainerProbesOptions;
  readonly #liveness: ProbeLoop | undefined;
  readonly #readiness: ProbeLoop | undefined;

  constructor(options: ContainerProbesOptions) {
    this.#options = options;
    const { livenessProbe, readinessProbe } = options.target.container;
    this.#liveness = livenessProbe && this.#open('Liveness', livenessProbe, true);
    this.#readiness = readinessProbe && this.#open('Readiness', readinessProbe, options.isReady);
  }

  /** A container without a readiness probe is ready as long as it runs. */
  get isReady(): boolean {
    return this.#readiness?.isPassing ?? true;
  }

  close(): void {
    this.#liveness?.close();
    this.#readiness?.close();
  }

  #open(which: 'Liveness' | 'Readiness', probe: Probe, isPassing: boolean): ProbeLoop {
    const { clock, target, startedAt } = this.#options;
    return new ProbeLoop({
      probe,
      clock,
      startedAt,
      isPassing,
      check: (timeoutMs, signal) => runHandler(probe, target, { clock, timeoutMs, signal }),
      onFailure: (message) => this.#options.onFailure(which, message),
      onChange: (isPassing) => {
        if (which === 'Readiness') this.#options.onReadiness();
        else if (!isPassing) this.#options.onDeath();
      },
    });
  }
}
