import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counter, readControl, removeGroup } from './cgroup-files.ts';
import type { CgroupMounts } from './cgroup-mounts.ts';
import type { Cgroup, Cgroups, LimitedResource, ResourceLimits } from './cgroups.ts';

const periodMicros = 100_000;
/** The kernel refuses quotas below this. */
const minQuotaMicros = 1000;

/** Version 1: each controller has a hierarchy of its own. */
export async function separateCgroups(mounts: CgroupMounts, name: string): Promise<Cgroups> {
  const tops = new Map<LimitedResource, string>();
  const notEnforced: Partial<Record<LimitedResource, string>> = {};
  for (const resource of ['memory', 'cpu'] as const) {
    const own = mounts.byController.get(resource);
    const failure = own === undefined ? `no ${resource} control group is mounted` : await makeTop(join(own, name));
    if (failure === undefined) tops.set(resource, join(own!, name));
    else notEnforced[resource] = failure;
  }
  const find = (id: string): Cgroup => new SeparateCgroup(new Map([...tops].map(([of, top]) => [of, join(top, id)])));
  return {
    notEnforced,
    async create(id, limits) {
      for (const [resource, top] of tops) await makeGroup(resource, join(top, id), limits);
      return find(id);
    },
    find,
    async close() {
      // One that still has groups of containers stays for the next agent.
      for (const top of tops.values()) await rmdir(top).catch(() => {});
    },
  };
}

async function makeTop(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { recursive: true });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function makeGroup(resource: LimitedResource, path: string, limits: ResourceLimits): Promise<void> {
  await mkdir(path, { recursive: true });
  const set = (file: string, value: number): Promise<void> => writeFile(join(path, file), String(value));
  if (resource === 'memory') {
    if (limits.memoryBytes > 0) await set('memory.limit_in_bytes', limits.memoryBytes);
    return;
  }
  if (limits.cpuShareMillis > 0)
    await set('cpu.shares', Math.max(2, Math.floor((limits.cpuShareMillis * 1024) / 1000)));
  if (limits.cpuMillis === 0) return;
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

  async ranOutOfMemory(): Promise<boolean> {
    const path = this.#paths.get('memory');
    return path !== undefined && counter(await readControl(join(path, 'memory.oom_control')), 'oom_kill') > 0;
  }

  async remove(): Promise<void> {
    for (const path of this.#paths.values()) await removeGroup(path);
  }
}
