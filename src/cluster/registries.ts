import { join } from 'node:path';
import { admissionChain, admissionWithAccounts, defaultAdmission } from '../access/admission/plugins.ts';
import { kinds } from '../kinds/index.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import { clusterRole } from '../kinds/rbac/cluster-role.ts';
import { servedVersions } from '../kinds/served-version.ts';
import { Allocator } from '../registry/allocation/allocator.ts';
import { AllocationRepair } from '../registry/allocation/repair.ts';
import { serviceAllocation, type ServiceAllocators } from '../registry/allocation/service-allocation.ts';
import { addressRange, portRange, type ValueRange } from '../registry/allocation/value-range.ts';
import { endpointsRemoval } from '../registry/endpoints-removal.ts';
import { Expiry } from '../registry/expiry.ts';
import { Registry } from '../registry/registry.ts';
import type { Storage } from '../storage/storage.ts';
import { openAccess, type Access } from './access.ts';
import type { ClosingList } from './closing-list.ts';
import { optionsError } from './options-error.ts';
import { ownWrite } from './own-write.ts';
import type { OpenSettings, Settings } from './settings.ts';

export interface RegistriesOptions {
  readonly settings: OpenSettings;
  readonly storage: Storage;
}

export interface Registries {
  readonly access: Access;
  readonly registry: Registry;
  /** For what a cluster must have: plugins that were chosen have no say in it, or a choice such as AlwaysDeny could not even start. */
  readonly ownRegistry: Registry;
}

/** Who may do what, the way to the objects, and what keeps them in order. */
export async function openRegistries(
  { settings, storage }: RegistriesOptions,
  opened: ClosingList,
): Promise<Registries> {
  const { clock, logger } = settings;
  const access = await openAccess({
    ...settings,
    storage,
    keyDirectory: settings.storage.make === 'memory' ? undefined : join(settings.storage.directory, 'pki'),
    refreshRole: (name) => refreshRole(ownRegistry, name),
  }).catch(optionsError);
  const registry = openRegistry(storage, settings, access);
  opened.add(() => registry.close());
  const ownRegistry = openRegistry(storage, { ...settings, admissionControl: [] }, access);
  opened.add(() => ownRegistry.close());
  for (const kind of kinds.filter(({ lifetimeSeconds }) => lifetimeSeconds !== undefined)) {
    const expiry = await Expiry.open(kind, { storage, clock, logger });
    opened.add(() => expiry.close());
  }
  const allocators = serviceAllocators(storage, settings);
  const repair = await AllocationRepair.open({ storage, allocators, clock, logger });
  opened.add(() => repair.close());
  return { access, registry, ownRegistry };
}

/** A replace by itself: completed where it is made of others. */
async function refreshRole(registry: Registry, name: string): Promise<void> {
  const address = { served: servedVersions(clusterRole)[0]!, name };
  try {
    await registry.patch(address, { ...ownWrite, type: 'application/merge-patch+json', body: {} });
  } catch (error) {
    if (!isApiError(error, 404)) throw error;
  }
}

function openRegistry(storage: Storage, settings: OpenSettings, access: Access): Registry {
  const { clock, ids, logger } = settings;
  const chosen = admissionChain(settings.admissionControl ?? usualAdmission(settings), {
    storage,
    clock,
    expectsTokens: settings.controllers,
  });
  // Not for choice, and last: nothing is given out for a write that another plugin refuses.
  const forServices = [serviceAllocation(serviceAllocators(storage, settings)), endpointsRemoval(storage)];
  const admission = [...chosen, ...access.plugins, ...forServices];
  return new Registry({ storage, kinds, admission, clock, ids, logger });
}

function serviceAllocators(storage: Storage, settings: OpenSettings): ServiceAllocators {
  return {
    clusterIPs: new Allocator(storage, 'serviceips', addressRange(settings.serviceClusterIpRange)),
    nodePorts: new Allocator(storage, 'servicenodeports', nodePortsOf(settings)),
  };
}

/** Fails with a `RangeError` where they are none. */
export function nodePortsOf({
  serviceNodePortRange: { first, last },
}: Pick<Settings, 'serviceNodePortRange'>): ValueRange {
  return portRange(`${first}-${last}`);
}

/** Accounts are asked for only where a controller makes them. */
function usualAdmission({ controllers }: Settings): readonly string[] {
  return controllers ? admissionWithAccounts : defaultAdmission;
}
