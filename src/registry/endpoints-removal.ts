import { endpoints } from '../kinds/core/endpoints.ts';
import { service } from '../kinds/core/service.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Storage } from '../storage/storage.ts';
import { objectKey } from './address.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isStorageError } from './storage-errors.ts';

/**
 * Removes the endpoints of a service with it, whoever wrote them: another service of that name must not lead to where this one led. With the answer, as
 * in the reference, and not when a controller comes to it: there need not be one.
 */
export function endpointsRemoval(storage: Storage): AdmissionPlugin {
  return {
    name: 'EndpointsRemoval',
    kinds: [service] as readonly Kind[],
    reserve({ operation, old, dryRun }) {
      if (operation !== 'delete' || dryRun || !old) return undefined;
      const key = objectKey(endpoints, old.metadata.namespace, old.metadata.name!);
      return { settle: () => removeEntry(storage, key) };
    },
  };
}

async function removeEntry(storage: Storage, key: string): Promise<void> {
  for (;;) {
    const entry = await storage.get(key);
    if (!entry) return;
    try {
      await storage.delete(key, entry.revision);
      return;
    } catch (error) {
      // Changed or removed in between: look again.
      if (!isStorageError(error, 'Conflict') && !isStorageError(error, 'NotFound')) throw error;
    }
  }
}
