import { readFileSync } from 'node:fs';

/** Flags that a mount made without root may not lose when it becomes read-only: the kernel refuses such a change. */
const keptFlags = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime']);

interface MountedAt {
  readonly path: string;
  readonly flags: readonly string[];
}

/** The flags of the file system that a path lies in, from what the kernel says about our own mounts. */
export function mountFlags(path: string, mountInfo = readFileSync('/proc/self/mountinfo', 'utf8')): readonly string[] {
  let nearest: MountedAt | undefined;
  for (const line of mountInfo.split('\n')) {
    const mounted = parse(line);
    // Of two at the same place the later one covers the earlier.
    if (mounted && isWithin(path, mounted.path) && mounted.path.length >= (nearest?.path.length ?? 0))
      nearest = mounted;
  }
  return nearest?.flags.filter((flag) => keptFlags.has(flag)) ?? [];
}

function parse(line: string): MountedAt | undefined {
  const [, , , , path, flags] = line.split(' ');
  if (path === undefined || flags === undefined) return undefined;
  const unescaped = path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return { path: unescaped, flags: flags.split(',') };
}

function isWithin(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}
