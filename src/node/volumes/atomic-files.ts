import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VolumeError } from './volume.ts';

/** Contents by relative path. */
export type Files = ReadonlyMap<string, Buffer>;

const current = '..data';
const fileMode = 0o644;
const directoryMode = 0o755;

/**
 * Brings a directory to hold exactly these files, all at once: they lie in a directory of their own behind the link `..data`, which is swapped, and
 * the names in `directory` are links through it. A reader sees the old files or the new ones, never some of each. Nothing is touched where
 * they are the same already. The layout is that of the reference, which programs that watch for changes know.
 */
export async function replaceFiles(directory: string, files: Files): Promise<void> {
  for (const path of files.keys()) checkPath(path);
  await makeDirectory(directory);
  const old = await readlink(join(directory, current)).catch(() => undefined);
  if (old !== undefined && (await holdsExactly(join(directory, old), files))) {
    await linkNames(directory, files);
    return;
  }
  const fresh = await mkdtemp(join(directory, '..files-'));
  await chmod(fresh, directoryMode);
  for (const [path, content] of files) await writeInside(fresh, path, content);
  const link = join(directory, '..data_new');
  await rm(link, { force: true });
  await symlink(fresh.slice(directory.length + 1), link);
  await rename(link, join(directory, current));
  await linkNames(directory, files);
  await removeOthers(directory, fresh.slice(directory.length + 1));
}

/** Nothing may lead out of the directory or into what holds it together. */
function checkPath(path: string): void {
  const segments = path.split('/');
  const isWrong = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  if (isWrong || path.startsWith('..') || path.includes('\0')) {
    throw new VolumeError(`${JSON.stringify(path)} is no path for a file inside a volume`);
  }
}

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, directoryMode);
}

async function writeInside(directory: string, path: string, content: Buffer): Promise<void> {
  const file = join(directory, path);
  await mkdir(dirname(file), { recursive: true, mode: directoryMode });
  await writeFile(file, content);
  await chmod(file, fileMode);
}

async function holdsExactly(directory: string, files: Files): Promise<boolean> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (!entries) return false;
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  if (names.length !== files.size) return false;
  for (const [path, content] of files) {
    const there = await readFile(join(directory, path)).catch(() => undefined);
    if (!there?.equals(content)) return false;
  }
  return true;
}

/** What a container sees: the first part of each path, as a link into the current files. */
async function linkNames(directory: string, files: Files): Promise<void> {
  const names = new Set([...files.keys()].map((path) => path.split('/')[0]!));
  for (const name of names) {
    const [link, target] = [join(directory, name), join(current, name)];
    if ((await readlink(link).catch(() => undefined)) === target) continue;
    await rm(link, { recursive: true, force: true });
    await symlink(target, link);
  }
  for (const name of await readdir(directory)) {
    if (!name.startsWith('..') && !names.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function removeOthers(directory: string, kept: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const isOld = name.startsWith('..files-') && name !== kept;
    if (isOld) await rm(join(directory, name), { recursive: true, force: true });
  }
}
