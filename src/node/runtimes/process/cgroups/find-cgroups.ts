import { findCgroupMounts } from './cgroup-mounts.ts';
import type { Cgroups } from './cgroups.ts';
import { separateCgroups } from './separate-cgroups.ts';
import { unifiedCgroups } from './unified-cgroups.ts';

/** Finds the groups that we may use: below our own one, so that limits which hold for us hold for our containers too. */
export async function findCgroups(name: string): Promise<Cgroups> {
  const mounts = await findCgroupMounts();
  return mounts.byController.has('memory') || mounts.byController.has('cpu')
    ? separateCgroups(mounts, name)
    : unifiedCgroups(mounts, name);
}
