import type { Writer } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';

/**
 * Deletes this very pod, with the time that it asks for or at once. That it is gone already, or that another has taken its name, is as good.
 * Says whether the pod was there.
 */
export async function removePod(
  client: Pick<Writer, 'delete'>,
  pod: Pod,
  options: { readonly gracePeriodSeconds?: number } = {},
): Promise<boolean> {
  try {
    await client.delete(podKind, nameOf(pod), { ...options, preconditions: { uid: pod.metadata.uid } });
    return true;
  } catch (error) {
    if (isApiError(error, 404) || isApiError(error, 409)) return false;
    throw error;
  }
}
