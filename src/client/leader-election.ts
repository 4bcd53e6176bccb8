import type { Logger } from '../base/logger.ts';
import { withDeadline } from './deadline.ts';
import { LeaderLock, type LeaderLockOptions, type LockHolder } from './leader-lock.ts';
import { pause } from './pause.ts';

export interface LeaderElectionOptions extends Omit<LeaderLockOptions, 'leaseMs'> {
  readonly logger: Logger;
  /** How long others leave a lock alone that is not renewed; 15 seconds when absent. */
  readonly leaseMs?: number;
  /** How long the leader tries to renew before it gives up; shorter than the lease. 10 seconds when absent. */
  readonly renewMs?: number;
  /** How long to wait between attempts; 2 seconds when absent. */
  readonly retryMs?: number;
  /** Ends the candidacy: the work is stopped and the lock let go. */
  readonly signal: AbortSignal;
  /** What only the leader does. The signal is aborted when it no longer leads; the promise must then settle soon. */
  lead(signal: AbortSignal): Promise<void>;
}

interface Periods {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
}

/**
 * States: waiting (somebody else leads) -> leading (`lead` runs, the lock is renewed) -> waiting again when the lock is lost. Resolves when the signal is
 * aborted or `lead` ends by itself; rejects with what `lead` throws.
 */
export async function runLeaderElection(options: LeaderElectionOptions): Promise<void> {
  const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2000, signal, logger, lock, identity } = options;
  if (!(retryMs < renewMs && renewMs < leaseMs)) {
    throw new RangeError('the retry period must be shorter than the renewal, and that shorter than the lease');
  }
  const leaderLock = new LeaderLock({ ...options, leaseMs });
  const periods = { leaseMs, renewMs, retryMs };
  while (await acquire(leaderLock, options, periods)) {
    logger.info('leading', { lock: lock.name, identity });
    if ((await leadUntilLost(leaderLock, options, periods)) !== 'lost') break;
    if (!signal.aborted) logger.warn('no longer leading: the lock could not be renewed', { lock: lock.name, identity });
  }
}

/** Tries until the lock is ours; false when the candidacy ended before. */
async function acquire(lock: LeaderLock, options: LeaderElectionOptions, periods: Periods): Promise<boolean> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    if ((await tryHold(lock, options, periods.renewMs)) === 'us')
      return !signal.aborted || release(lock, options, periods);
    await pause(clock, periods.retryMs, signal).catch(() => {});
  }
  return false;
}

async function tryHold(lock: LeaderLock, options: LeaderElectionOptions, ms: number): Promise<LockHolder> {
  const { clock, logger, signal } = options;
  try {
    return await withDeadline({ clock, ms, signal }, (limited) => lock.hold(limited));
  } catch (error) {
    if (!signal.aborted) logger.warn('the lock could not be reached', { lock: options.lock.name, error });
    return 'unknown';
  }
}

async function release(lock: LeaderLock, options: LeaderElectionOptions, { renewMs }: Periods): Promise<false> {
  const { clock, logger } = options;
  try {
    await withDeadline({ clock, ms: renewMs }, (limited) => lock.release(limited));
  } catch (error) {
    logger.warn('the lock could not be let go; others wait until it runs out', { lock: options.lock.name, error });
  }
  return false;
}

async function leadUntilLost(
  lock: LeaderLock,
  options: LeaderElectionOptions,
  periods: Periods,
): Promise<'lost' | 'ended'> {
  const leading = new AbortController();
  const onAbort = (): void => leading.abort(options.signal.reason);
  options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  let wasLost = false;
  const renewing = renew(lock, { ...options, signal: leading.signal }, periods).then(() => {
    wasLost = !leading.signal.aborted;
    leading.abort(new Error('the lock is lost'));
  });
  try {
    await options.lead(leading.signal);
  } finally {
    options.signal.removeEventListener('abort', onAbort);
    leading.abort();
    await renewing;
    if (!wasLost) await release(lock, options, periods);
  }
  return wasLost ? 'lost' : 'ended';
}

/** Renews until that fails for too long, somebody else has the lock or the signal is aborted. */
async function renew(lock: LeaderLock, options: LeaderElectionOptions, periods: Periods): Promise<void> {
  const { clock, signal } = options;
  let renewedAt = clock.ticks();
  while (!signal.aborted) {
    await pause(clock, periods.retryMs, signal).catch(() => {});
    if (signal.aborted) return;
    const left = renewedAt + periods.renewMs - clock.ticks();
    if (left <= 0) return;
    const startedAt = clock.ticks();
    const holder = await tryHold(lock, options, left);
    // However that came about: two must not lead.
    if (holder === 'other') return;
    if (holder === 'us') renewedAt = startedAt;
  }
}
