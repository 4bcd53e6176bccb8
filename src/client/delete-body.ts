import type { DeleteOptions } from '../kinds/meta/delete-options.ts';
import type { DeleteRequestOptions } from './client.ts';

/** What a delete sends along; nothing when nothing is asked for. */
export function deleteBody(options: DeleteRequestOptions): DeleteOptions | undefined {
  const { gracePeriodSeconds, preconditions, propagationPolicy } = options;
  const asks = gracePeriodSeconds !== undefined || preconditions !== undefined || propagationPolicy !== undefined;
  if (!asks) return undefined;
  return { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds, preconditions, propagationPolicy };
}
