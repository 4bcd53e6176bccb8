import type { Clock } from '../../base/clock.ts';
import { backoffMs } from '../../client/backoff.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { JobPods } from './job-progress.ts';

/** Between a pod that failed and the next one. */
const bounds = { firstMs: 10_000, longestMs: 6 * 60_000 };

/** Makes jobs whose pods fail wait, longer from one failure to the next, until one succeeds. */
export class FailureBackoff {
  readonly #clock: Clock;
  /** By job and uid of the pod: when it ended, in ticks, as it looked when that was first seen. Clocks of nodes may go wrong. */
  readonly #seen = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long no further pod is to be made, in milliseconds. */
  waitFor(job: string, { succeeded, failed }: JobPods): number {
    if (failed.length === 0) return 0;
    const before = this.#seen.get(job);
    const seen = new Map<string, number>();
    this.#seen.set(job, seen);
    const now = this.#clock.ticks();
    const endOf = (pod: Pod): number => {
      const { uid = '' } = pod.metadata;
      const end = before?.get(uid) ?? now - sinceEnd(pod, this.#clock.now());
      seen.set(uid, end);
      return end;
    };
    const lastSuccess = Math.max(-Infinity, ...succeeded.map(endOf));
    const failures = failed.map(endOf).filter((end) => end >= lastSuccess);
    if (failures.length === 0) return 0;
    return Math.max(0, Math.max(...failures) + backoffMs(bounds, failures.length) - now);
  }

  forget(job: string): void {
    this.#seen.delete(job);
  }
}

/** How long ago the last container ended; 0 where the pod does not say, or names a moment that is yet to come. */
function sinceEnd({ status }: Pod, now: number): number {
  const ends = (status.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  return ends.length > 0 ? Math.max(0, now - Math.max(...ends.map((end) => Date.parse(end)))) : 0;
}
