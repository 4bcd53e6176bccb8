import { access, constants, mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counter, readControl, removeGroup, workingSet } from './cgroup-files.ts';
import type { CgroupMounts } from './cgroup-mounts.ts';
import { limitedResources, type Cgroup, type Cgroups, type LimitedResource, type ResourceLimits } from './cgroups.ts';

const periodMicros = 100_000;
/** The kernel refuses quotas below this. */
const minQuotaMicros = 1000;

/** Version 1: each controller has a hierarchy of its own. Groups are made only for what is limited. */
export async function separateCgroups(mounts: CgroupMounts, name: string): Promise<Cgroups> {
  const notEnforced: Partial<Record<LimitedResource, string>> = {};
  for (const resource of ['memory', 'cpu'] as const) {
    const failure = await whyNot(resource, mounts.byController.get(resource));
    if (failure !== undefined) notEnforced[resource] = failure;
  }
  const topOf = (resource: LimitedResource): string => join(mounts.byController.get(resource)!, name);
  const find = (id: string, resources: readonly LimitedResource[]): Cgroup =>
    new SeparateCgroup(new Map(resources.map((resource) => [resource, join(topOf(resource), id)])));
  return {
    notEnforced,
    async create(id, limits) {
      const resources = limitedResources(limits, notEnforced);
      for (const resource of resources) await makeGroup(resource, join(topOf(resource), id), limits);
      return find(id, resources);
    },
    find,
    async close() {
      const resources = (['memory', 'cpu'] as const).filter((resource) => notEnforced[resource] === undefined);
      // One that still has groups of containers stays for the next agent; one that was never made is fine too.
      for (const resource of resources) await rmdir(topOf(resource)).catch(() => {});
    },
  };
}

async function whyNot(resource: LimitedResource, own: string | undefined): Promise<string | undefined> {
  if (own === undefined) return `no control group for ${resource} is mounted`;
  try {
    await access(own, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function makeGroup(resource: LimitedResource, path: string, limits: ResourceLimits): Promise<void> {
  await mkdir(path, { recursive: true });
  const set = (file: string, value: number): Promise<void> => writeFile(join(path, file), String(value));
  if (resource === 'memory') return set('memory.limit_in_bytes', limits.memoryBytes);
  await set('cpu.shares', Math.max(2, Math.floor((limits.cpuShareMillis * 1024) / 1000)));
  await set('cpu.cfs_period_us', periodMicros);
  await set('cpu.cfs_quota_us', Math.max(minQuotaMicros, Math.floor((limits.cpuMillis * periodMicros) / 1000)));
}

class SeparateCgroup implements Cgroup {
  readonly joinFiles: readonly string[];
  readonly #paths: ReadonlyMap<LimitedResource, string>;

  constructor(paths: ReadonlyMap<LimitedResource, string>) {
    this.#paths = paths;
    this.joinFiles = [...paths.values()].map((path) => join(path, 'cgroup.procs'));
  }

  async memoryBytes(): Promise<number | undefined> {
    const path = this.#paths.get('memory');
    if (path === undefined) return undefined;
    return workingSet(join(path, 'memory.usage_in_bytes'), join(path, 'memory.stat'), 'total_inactive_file');
  }

  async ranOutOfMemory(): Promise<boolean> {
    const path = this.#paths.get('memory');
    return path !== undefined && counter(await readControl(join(path, 'memory.oom_control')), 'oom_kill') > 0;
  }

  async remove(): Promise<void> {
    for (const path of this.#paths.values()) await removeGroup(path);
  }
}
