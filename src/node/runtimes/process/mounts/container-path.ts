import { lstatSync, readlinkSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';

/** Where a path of a container leads on the machine's own file system. */
export interface ResolvedPath {
  /** The longest part that is there, with all links followed. */
  readonly existing: string;
  /** What is not there below it, outermost first. */
  readonly missing: readonly string[];
}

const maxLinks = 40;

/** Follows links as the kernel would, also where the end of the path is missing, as it is for most mounts. */
export function resolvePath(path: string): ResolvedPath {
  const open = split(path);
  let existing = '/';
  for (let links = 0; open.length > 0;) {
    const next = join(existing, open[0]!);
    const stat = lstatSync(next, { throwIfNoEntry: false });
    if (!stat) return { existing, missing: open };
    open.shift();
    if (!stat.isSymbolicLink()) {
      existing = next;
      continue;
    }
    if (++links > maxLinks) throw new Error(`${path} goes through too many links`);
    open.unshift(...split(resolve(existing, readlinkSync(next))));
    existing = '/';
  }
  return { existing, missing: [] };
}

export function fullPath({ existing, missing }: ResolvedPath): string {
  return join(existing, ...missing);
}

function split(path: string): string[] {
  return normalize(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
}
