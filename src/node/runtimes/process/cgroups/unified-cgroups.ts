import { access, mkdir, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { counter, readControl, removeGroup, workingSet } from './cgroup-files.ts';
import type { CgroupMounts } from './cgroup-mounts.ts';
import { limitedResources, type Cgroup, type Cgroups, type LimitedResource, type ResourceLimits } from './cgroups.ts';

const periodMicros = 100_000;
const minQuotaMicros = 1000;

/**
 * Version 2: one hierarchy for all controllers. A group with processes cannot hand controllers on to groups below it, so ours stands beside
 * our own, or at the top when we are there.
 */
export async function unifiedCgroups(mounts: CgroupMounts, name: string): Promise<Cgroups> {
  const { unified, unifiedTop } = mounts;
  if (unified === undefined || unifiedTop === undefined) return noCgroups('control groups are not mounted');
  const parent = unified === unifiedTop || unified === `${unifiedTop}/` ? unifiedTop : dirname(unified);
  const top = join(parent, name);
  try {
    await mkdir(top, { recursive: true });
  } catch (error) {
    return noCgroups((error as Error).message);
  }
  const notEnforced: Partial<Record<LimitedResource, string>> = {};
  for (const resource of ['memory', 'cpu'] as const) {
    const failure = await handOn(resource, [parent, top]);
    if (failure !== undefined) notEnforced[resource] = failure;
  }
  const find = (id: string, resources: readonly LimitedResource[]): Cgroup =>
    resources.length > 0 ? new UnifiedCgroup(join(top, id)) : noCgroup;
  return {
    notEnforced,
    async create(id, limits) {
      const resources = limitedResources(limits, notEnforced);
      if (resources.length > 0) await makeGroup(join(top, id), limits, resources);
      return find(id, resources);
    },
    find,
    async close() {
      // One that still has groups of containers stays for the next agent.
      await rmdir(top).catch(() => {});
    },
  };
}

/** Lets the groups below have a controller. */
async function handOn(resource: LimitedResource, groups: readonly string[]): Promise<string | undefined> {
  for (const group of groups) {
    const file = join(group, 'cgroup.subtree_control');
    if ((await readControl(file)).split(/\s+/).includes(resource)) continue;
    try {
      await writeFile(file, `+${resource}`);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return undefined;
}

async function makeGroup(path: string, limits: ResourceLimits, resources: readonly LimitedResource[]): Promise<void> {
  await mkdir(path, { recursive: true });
  const set = (file: string, value: string): Promise<void> => writeFile(join(path, file), value);
  if (resources.includes('memory')) {
    await set('memory.max', String(limits.memoryBytes));
    // Without swap the limit means what it says; not every kernel counts it.
    if (await isThere(join(path, 'memory.swap.max'))) await set('memory.swap.max', '0');
  }
  if (!resources.includes('cpu')) return;
  const quota = Math.max(minQuotaMicros, Math.floor((limits.cpuMillis * periodMicros) / 1000));
  await set('cpu.max', `${quota} ${periodMicros}`);
  await set('cpu.weight', String(weightOf(limits.cpuShareMillis)));
}

/** One processor is 1024 of the shares that version 1 counts in; weights spread the same range over 1 to 10000. */
function weightOf(cpuMillis: number): number {
  const shares = Math.min(262_144, Math.max(2, (cpuMillis * 1024) / 1000));
  return Math.floor(1 + ((shares - 2) * 9999) / 262_142);
}

class UnifiedCgroup implements Cgroup {
  readonly joinFiles: readonly string[];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.joinFiles = [join(path, 'cgroup.procs')];
  }

  async memoryBytes(): Promise<number | undefined> {
    return workingSet(join(this.#path, 'memory.current'), join(this.#path, 'memory.stat'), 'inactive_file');
  }

  async ranOutOfMemory(): Promise<boolean> {
    return counter(await readControl(join(this.#path, 'memory.events')), 'oom_kill') > 0;
  }

  async remove(): Promise<void> {
    await removeGroup(this.#path);
  }
}

const noCgroup: Cgroup = {
  joinFiles: [],
  memoryBytes: () => Promise.resolve(undefined),
  ranOutOfMemory: () => Promise.resolve(false),
  remove: () => Promise.resolve(),
};

function noCgroups(reason: string): Cgroups {
  return {
    notEnforced: { memory: reason, cpu: reason },
    create: () => Promise.resolve(noCgroup),
    find: () => noCgroup,
    close: () => Promise.resolve(),
  };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
