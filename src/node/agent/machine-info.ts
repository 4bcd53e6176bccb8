import { readFile, statfs } from 'node:fs/promises';
import { arch, availableParallelism, hostname, release, totalmem } from 'node:os';
import type { NodeSystemInfo } from '../../kinds/core/node-status.ts';
import { version } from '../../version.ts';

/** What the machine is, as nodes show it. What it does not tell is empty. */
export async function readSystemInfo(runtimeVersion: string): Promise<NodeSystemInfo> {
  const [machineID, systemUUID, bootID, osRelease] = await Promise.all([
    readText('/etc/machine-id'),
    readText('/sys/class/dmi/id/product_uuid'),
    readText('/proc/sys/kernel/random/boot_id'),
    readText('/etc/os-release'),
  ]);
  return {
    machineID: machineID || hostname(),
    systemUUID: systemUUID || machineID || hostname(),
    bootID,
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? '',
    containerRuntimeVersion: runtimeVersion,
    kubeletVersion: `v1.2.7+wherry-${version}`,
    kubeProxyVersion: `v1.2.7+wherry-${version}`,
  };
}

/** How much of each resource the machine has. */
export function machineCapacity(): Record<string, string> {
  return {
    cpu: String(availableParallelism()),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    pods: '110',
  };
}

/** The names that node labels have for processor architectures. */
export function machineArchitecture(): string {
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  return names[arch()] ?? arch();
}

const leastFreeBytes = 256 * 1024 * 1024;

/** Whether the disk under a path is nearly full; nothing where that cannot be told. */
export async function isDiskFull(path: string): Promise<boolean | undefined> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize < leastFreeBytes;
  } catch {
    return undefined;
  }
}

async function readText(path: string): Promise<string> {
  // Only some of these files are everywhere, and some only root may read.
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim();
}
