import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { Storage } from '../../storage/storage.ts';

export interface AwaitOptions<T> {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly key: string;
  readonly isReady: (object: T) => boolean;
  /** How long at the most. */
  readonly ms: number;
}

/** The object under a key as soon as it is as it should be; as it is when that takes too long, and nothing when it is not there. */
export async function awaitObject<T extends ApiObject>(options: AwaitOptions<T>): Promise<T | undefined> {
  const { storage, clock, key, isReady, ms } = options;
  const over = deferred<void>();
  let isOver = ms <= 0;
  const timer = clock.after(ms, () => {
    isOver = true;
    over.resolve();
  });
  try {
    for (;;) {
      // Read before the object, so that the watch misses nothing that comes after.
      const revision = await storage.revision();
      const entry = await storage.get(key);
      const object = entry && (JSON.parse(entry.value.toString('utf8')) as T);
      if (isOver || (object && isReady(object))) return object;
      await nextChange(storage, { key, after: revision, over: over.promise });
    }
  } finally {
    timer.cancel();
  }
}

async function nextChange(
  storage: Storage,
  { key, after, over }: { key: string; after: number; over: Promise<void> },
): Promise<void> {
  const changed = deferred<void>();
  const listener = { onEvents: () => changed.resolve(), onEnd: () => changed.resolve() };
  const watch = await storage.watch(key, after, listener);
  await Promise.race([changed.promise, over]);
  watch.close();
}
