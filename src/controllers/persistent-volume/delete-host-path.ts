import { realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts';

/**
 * Deletes the directory of a hostPath volume. Only what lies below the directory for temporary files, links followed, is deleted: nobody loses more by
 * a wrong path. Throws for every other volume.
 */
export async function deleteHostPath({ spec }: PersistentVolume, root = tmpdir()): Promise<void> {
  const path = spec?.hostPath?.path;
  if (!path)
    throw new Error('only volumes of hostPath can be deleted here; delete what is behind the volume, then the volume');
  const directory = resolve(path);
  if (!isBelow(resolve(root), directory)) throw outside(path, root);
  const parent = await realPathOf(dirname(directory));
  if (parent === undefined) return;
  const target = join(parent, basename(directory));
  if (!isBelow(await realpath(root), target)) throw outside(path, root);
  await rm(target, { recursive: true, force: true });
}

function isBelow(root: string, path: string): boolean {
  const below = relative(root, path);
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`);
}

function outside(path: string, root: string): Error {
  return new Error(
    `only directories below ${root} are deleted, and ${path} is none; delete it by hand, then the volume`,
  );
}

/** Undefined when nothing is there. */
async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
