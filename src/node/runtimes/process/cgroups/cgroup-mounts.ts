import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the kernel's control groups are on this machine, and our own place among them. */
export interface CgroupMounts {
  /** Our own group of the unified hierarchy (version 2), if it is mounted. */
  readonly unified?: string;
  /** Where that hierarchy begins. */
  readonly unifiedTop?: string;
  /** Our own group of each controller that has a hierarchy of its own (version 1). */
  readonly byController: ReadonlyMap<string, string>;
}

export async function findCgroupMounts(): Promise<CgroupMounts> {
  const [mountInfo, own] = await Promise.all([
    readFile('/proc/self/mountinfo', 'utf8'),
    readFile('/proc/self/cgroup', 'utf8').catch(() => ''),
  ]);
  return parseCgroupMounts(mountInfo, own);
}

export function parseCgroupMounts(mountInfo: string, own: string): CgroupMounts {
  const ownPaths = new Map<string, string>();
  for (const line of own.split('\n')) {
    const [, controllers = '', ...path] = line.split(':');
    for (const controller of controllers.split(',')) if (path.length > 0) ownPaths.set(controller, path.join(':'));
  }
  const byController = new Map<string, string>();
  let unifiedTop: string | undefined;
  for (const line of mountInfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    const top = before.split(' ')[4];
    if (top === undefined) continue;
    if (type === 'cgroup2') unifiedTop = top;
    if (type !== 'cgroup') continue;
    for (const option of options.split(',')) {
      const path = ownPaths.get(option);
      if (path !== undefined) byController.set(option, join(top, path));
    }
  }
  const unified = unifiedTop && join(unifiedTop, ownPaths.get('') ?? '/');
  return { byController, ...(unifiedTop && { unifiedTop, unified }) };
}
