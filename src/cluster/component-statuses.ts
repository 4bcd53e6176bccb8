import type { Clock } from '../base/clock.ts';
import { leaderAnnotation, parseLeaderRecord } from '../client/leader-record.ts';
import type { ComponentCondition, ComponentStatus } from '../kinds/core/component-status.ts';
import { endpoints } from '../kinds/core/endpoints.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import { servedVersions } from '../kinds/served-version.ts';
import type { Registry } from '../registry/registry.ts';
import type { ComponentStatuses } from '../server/exchange.ts';
import type { Storage } from '../storage/storage.ts';
import { controlPlaneLock } from './control-plane-lock.ts';

export interface ComponentStatusesParts {
  readonly storage: Pick<Storage, 'revision'>;
  readonly registry: Pick<Registry, 'get'>;
  readonly clock: Clock;
}

/** How the parts of this control plane are, asked anew each time. */
export function componentStatuses(parts: ComponentStatusesParts): ComponentStatuses {
  return {
    async list() {
      const [storage, leader] = await Promise.all([
        found(() => storageHealth(parts)),
        found(() => leaderHealth(parts)),
      ]);
      // The two run side by side, wherever they run.
      return [status('storage', storage), status('scheduler', leader), status('controller-manager', leader)];
    },
  };
}

type Health = Pick<ComponentCondition, 'status' | 'message' | 'error'>;

function status(name: string, health: Health): ComponentStatus {
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', ...health }],
  };
}

async function found(ask: () => Promise<Health>): Promise<Health> {
  try {
    return await ask();
  } catch (error) {
    return { status: 'False', error: error instanceof Error ? error.message : String(error) };
  }
}

async function storageHealth({ storage }: ComponentStatusesParts): Promise<Health> {
  return { status: 'True', message: `at revision ${await storage.revision()}` };
}

/** Whoever runs controllers and scheduler renews its lease, in whichever process that is. */
async function leaderHealth(parts: ComponentStatusesParts): Promise<Health> {
  const record = parseLeaderRecord(await lockText(parts));
  if (!record?.holderIdentity) return { status: 'False', message: 'nobody runs it' };
  // The time of the last renewal is told in whole seconds.
  const endsAt = Date.parse(record.renewTime) + (record.leaseDurationSeconds + 1) * 1000;
  if (parts.clock.now() < endsAt) return { status: 'True', message: `run by ${record.holderIdentity}` };
  return { status: 'False', message: `${record.holderIdentity} has been silent since ${record.renewTime}` };
}

async function lockText({ registry }: ComponentStatusesParts): Promise<string | undefined> {
  try {
    const { object } = await registry.get({ served: servedVersions(endpoints)[0]!, ...controlPlaneLock });
    return object.metadata.annotations?.[leaderAnnotation];
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}
