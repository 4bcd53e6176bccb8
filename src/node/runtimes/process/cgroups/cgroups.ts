import { findCgroupMounts } from './cgroup-mounts.ts';
import { separateCgroups } from './separate-cgroups.ts';
import { unifiedCgroups } from './unified-cgroups.ts';

/** What a container may use at most, and its share when there is not enough for all. 0 where nothing is said. */
export interface ResourceLimits {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly cpuShareMillis: number;
}

export type LimitedResource = 'memory' | 'cpu';

/** The groups through which the kernel holds containers to their limits. */
export interface Cgroups {
  /** Why a resource cannot be limited here; absent when it can. */
  readonly notEnforced: Readonly<Partial<Record<LimitedResource, string>>>;
  /** Makes the group of a container. */
  create(id: string, limits: ResourceLimits): Promise<Cgroup>;
  /** The group that was made for a container before. */
  find(id: string): Cgroup;
  /** Removes what was made for all containers together, if none of them is left. */
  close(): Promise<void>;
}

export interface Cgroup {
  /** A process that writes 0 into these files belongs to the group from then on, with all that it starts. */
  readonly joinFiles: readonly string[];
  /** Whether something in it was killed because memory ran out. */
  ranOutOfMemory(): Promise<boolean>;
  /** Its processes are gone. */
  remove(): Promise<void>;
}

/** Finds the groups that we may use: below our own one, so that limits which hold for us hold for our containers too. */
export async function findCgroups(name: string): Promise<Cgroups> {
  const mounts = await findCgroupMounts();
  return mounts.byController.has('memory') || mounts.byController.has('cpu')
    ? separateCgroups(mounts, name)
    : unifiedCgroups(mounts, name);
}
