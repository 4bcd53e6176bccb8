import type { ComponentStatus } from '../kinds/core/component-status.ts';
import type { ComponentStatuses } from '../server/exchange.ts';
import type { Storage } from '../storage/storage.ts';

/** How the parts of this control plane are, asked anew each time. */
export function componentStatuses({ storage }: { readonly storage: Storage }): ComponentStatuses {
  return { list: async () => [await storageStatus(storage)] };
}

async function storageStatus(storage: Storage): Promise<ComponentStatus> {
  const status = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'storage' } };
  try {
    const revision = await storage.revision();
    return { ...status, conditions: [{ type: 'Healthy', status: 'True', message: `at revision ${revision}` }] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...status, conditions: [{ type: 'Healthy', status: 'False', error: why }] };
  }
}
