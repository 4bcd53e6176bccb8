import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Backoff } from '../../client/backoff.ts';
import type { Reader } from '../../client/client.ts';
import { pause } from '../../client/pause.ts';
import { service as serviceKind } from '../../kinds/core/service.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';

export interface ReadClusterIdOptions {
  readonly client: Pick<Reader, 'get'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const retries = { firstMs: 500, longestMs: 10_000 };

/**
 * What tells the clusters apart that nodes of one machine have joined: the uid of the service that every cluster has. A server that does not answer, or that
 * has only begun, is asked again and again; one that refuses makes this fail.
 */
export async function readClusterId({ client, clock, logger, signal }: ReadClusterIdOptions): Promise<string> {
  const backoff = new Backoff(retries);
  for (;;) {
    try {
      const { metadata } = await client.get(serviceKind, { namespace: 'default', name: 'kubernetes' }, { signal });
      return metadata.uid ?? '';
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError) || (error.code < 500 && error.code !== 404)) throw error;
      logger.warn('the server is not ready for nodes; trying again', { because: error.message });
      await pause(clock, backoff.next(), signal);
    }
  }
}
