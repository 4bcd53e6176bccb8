import type { Clock } from '../base/clock.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Ctrl-C under npm arrives twice, from the terminal and from npm; what comes this soon is the same wish. */
const echoMs = 500;

export interface StopSignals {
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
  /** Leaves signals to the process again. */
  release(): void;
}

export interface StopSignalOptions {
  readonly source: Pick<NodeJS.Process, 'on' | 'off'>;
  readonly clock: Clock;
  /** Called by a second signal: the user does not want to wait. */
  readonly onForce: (signal: NodeJS.Signals) => void;
}

/** The first SIGINT or SIGTERM asks for a clean end, a second one forces it. */
export function stopSignals({ source, clock, onForce }: StopSignalOptions): StopSignals {
  const controller = new AbortController();
  let firstAt: number | undefined;
  function onSignal(signal: NodeJS.Signals): void {
    if (firstAt === undefined) {
      firstAt = clock.ticks();
      controller.abort(signal);
    } else if (clock.ticks() - firstAt >= echoMs) {
      onForce(signal);
    }
  }
  for (const signal of signals) source.on(signal, onSignal);
  return {
    stop: controller.signal,
    release() {
      for (const signal of signals) source.off(signal, onSignal);
    },
  };
}
