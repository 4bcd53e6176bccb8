/** What a container may use at most, and its share when there is not enough for all. 0 where nothing is said. */
export interface ResourceLimits {
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly cpuShareMillis: number;
}

export type LimitedResource = 'memory' | 'cpu';

/** Those of the limits that are given and can be held. */
export function limitedResources(
  { memoryBytes, cpuMillis }: ResourceLimits,
  notEnforced: Cgroups['notEnforced'],
): LimitedResource[] {
  const given: LimitedResource[] = [...(memoryBytes > 0 ? (['memory'] as const) : []), ...(cpuMillis > 0 ? (['cpu'] as const) : [])]; // prettier-ignore
  return given.filter((resource) => notEnforced[resource] === undefined);
}

/** The groups through which the kernel holds containers to their limits. */
export interface Cgroups {
  /** Why a resource cannot be limited here; absent when it can. */
  readonly notEnforced: Readonly<Partial<Record<LimitedResource, string>>>;
  /** Makes the group of a container. */
  create(id: string, limits: ResourceLimits): Promise<Cgroup>;
  /** The group that was made for a container before, which holds these limits. */
  find(id: string, resources: readonly LimitedResource[]): Cgroup;
  /** Removes what was made for all containers together, if none of them is left. */
  close(): Promise<void>;
}

export interface Cgroup {
  /** A process that writes 0 into these files belongs to the group from then on, with all that it starts. */
  readonly joinFiles: readonly string[];
  /** Memory that its processes use and cannot do without, files in memory included; nothing where the group does not count it. */
  memoryBytes(): Promise<number | undefined>;
  /** Whether something in it was killed because memory ran out. */
  ranOutOfMemory(): Promise<boolean>;
  /** Its processes are gone. */
  remove(): Promise<void>;
}
