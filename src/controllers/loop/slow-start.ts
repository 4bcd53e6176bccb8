export interface SlowStart {
  /** How often the work succeeded. */
  readonly done: number;
  /** The first failure, after which no further batch is begun. */
  readonly error?: unknown;
}

/**
 * Does the same work `count` times, in batches of 1, 2, 4 and so on: where it cannot succeed (a quota is used up, a template is refused), that is
 * found out after few attempts.
 */
export async function slowStart(count: number, work: (index: number) => Promise<void>): Promise<SlowStart> {
  let done = 0;
  for (let begun = 0, size = 1; begun < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, i) => work(begun + i));
    begun += batch.length;
    const results = await Promise.allSettled(batch);
    done += results.filter(({ status }) => status === 'fulfilled').length;
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) return { done, error: failed.reason };
  }
  return { done };
}
