import type { Clock } from '../base/clock.ts';
import { Backoff } from '../client/backoff.ts';
import type { Binder, Reader } from '../client/client.ts';
import type { ObjectName } from '../client/object-name.ts';
import { pause } from '../client/pause.ts';
import { pod as podKind } from '../kinds/core/pod.ts';
import { ApiError, isApiError } from '../kinds/meta/api-error.ts';

export interface BindPodOptions {
  readonly client: Binder & Pick<Reader, 'get'>;
  readonly clock: Clock;
  readonly pod: ObjectName;
  /** Another pod that has taken the name is left alone: the node was not chosen for it. */
  readonly uid: string;
  readonly node: string;
  readonly signal: AbortSignal;
}

const retries = { firstMs: 500, longestMs: 10_000 };

/**
 * Gives a pod its node; rejects when the pod does not have it. Where the server's answer was lost, nobody knows: then the pod is looked at until
 * that is known, so that what was set aside for it is neither given away nor kept for ever.
 */
export async function bindPod(options: BindPodOptions): Promise<void> {
  const { client, pod, uid, node, signal } = options;
  try {
    await client.bind({ pod, uid, node }, { signal });
  } catch (error) {
    if (isRefusal(error)) throw error;
    if ((await nodeOf(options)) !== node) throw error;
  }
}

/** The server has said that it did not do it. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code < 500;
}

async function nodeOf({ client, clock, pod, uid, signal }: BindPodOptions): Promise<string | undefined> {
  const backoff = new Backoff(retries);
  for (;;) {
    await pause(clock, backoff.next(), signal);
    try {
      const { metadata, spec } = await client.get(podKind, pod, { signal });
      return metadata.uid === uid ? spec.nodeName : undefined;
    } catch (error) {
      if (isApiError(error, 404)) return undefined;
      signal.throwIfAborted();
    }
  }
}
