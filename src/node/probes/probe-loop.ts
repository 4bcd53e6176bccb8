import type { Clock, Timer } from '../../base/clock.ts';
import type { Probe } from '../../kinds/core/pod/probe.ts';
import type { HandlerOutcome } from './run-handler.ts';

export interface ProbeLoopOptions {
  readonly probe: Probe;
  readonly clock: Clock;
  /** When the container was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** What counts until the probes have said otherwise. */
  readonly isPassing: boolean;
  /** Probes once. Must not reject. */
  check(timeoutMs: number, signal: AbortSignal): Promise<HandlerOutcome>;
  /** Called for every probe that fails. */
  onFailure(message: string): void;
  /** Called when enough probes in a row have said something else than what counted before. */
  onChange(isPassing: boolean): void;
}

/** Probes a container again and again, never twice at the same time, until closed. */
export class ProbeLoop {
  readonly #options: ProbeLoopOptions;
  readonly #closing = new AbortController();
  #isPassing: boolean;
  /** How the last probes went, all alike, and how many they are. */
  #row = { ok: true, length: 0 };
  #timer: Timer | undefined;

  constructor(options: ProbeLoopOptions) {
    this.#options = options;
    this.#isPassing = options.isPassing;
    const { probe, clock, startedAt } = options;
    const delayMs = (probe.initialDelaySeconds ?? 0) * 1000;
    // The clock may have been set back since the start.
    this.#plan(Math.min(delayMs, startedAt + delayMs - clock.now()));
  }

  get isPassing(): boolean {
    return this.#isPassing;
  }

  close(): void {
    this.#timer?.cancel();
    this.#closing.abort();
  }

  #plan(ms: number): void {
    this.#timer = this.#options.clock.after(Math.max(0, ms), () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const { probe, clock } = this.#options;
    const begunAt = clock.ticks();
    const outcome = await this.#options.check((probe.timeoutSeconds || 1) * 1000, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    // Planned first: what is told next may close the loop.
    this.#plan(begunAt + (probe.periodSeconds || 10) * 1000 - clock.ticks());
    this.#count(outcome);
  }

  #count(outcome: HandlerOutcome): void {
    const { probe } = this.#options;
    if (!outcome.ok) this.#options.onFailure(outcome.message);
    this.#row = { ok: outcome.ok, length: this.#row.ok === outcome.ok ? this.#row.length + 1 : 1 };
    const enough = outcome.ok ? probe.successThreshold || 1 : probe.failureThreshold || 3;
    if (this.#row.length < enough || this.#isPassing === outcome.ok) return;
    this.#isPassing = outcome.ok;
    this.#options.onChange(outcome.ok);
  }
}
