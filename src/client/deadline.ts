import type { Clock } from '../base/clock.ts';
import { timedOut } from '../kinds/meta/api-error.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the work before its time. */
  readonly signal?: AbortSignal;
}

/** Runs work with a signal that is aborted when the time is up or the outer signal is. */
export async function withDeadline<T>(
  { clock, ms, signal }: DeadlineOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(ms, () => controller.abort(timedOut(`not done within ${ms} milliseconds`)));
  try {
    return await run(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
