import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program that tests run, out of a Debian package. */
export interface DebianTool {
  readonly package: string;
  /** Where the program is inside the package. */
  readonly path: string;
}

export const kubectl: DebianTool = { package: 'kubernetes-client', path: 'usr/bin/kubectl' };
export const etcd: DebianTool = { package: 'etcd-server', path: 'usr/bin/etcd' };

/**
 * The program's path, unpacked into the project's cache: nothing is installed, so that it neither needs root nor meets another version.
 * Gives the reason as text where the program cannot be had; in CI that is an error.
 */
export async function findTool(tool: DebianTool): Promise<{ readonly path: string } | { readonly missing: string }> {
  try {
    return { path: await unpacked(tool) };
  } catch (cause) {
    return missing(`${tool.path} of the Debian package ${tool.package}`, cause);
  }
}

/** Why something cannot be had; in CI that is an error. */
export function missing(what: string, cause: unknown): { readonly missing: string } {
  const reason = `${what} cannot be had here: ${String(cause)}`;
  if (process.env['CI']) throw new Error(reason, { cause });
  return { missing: reason };
}

async function unpacked(tool: DebianTool): Promise<string> {
  return join(await unpackPackages(tool.package, () => Promise.resolve([tool.package])), tool.path);
}

/** The directory that the packages are unpacked into, one over the other. It is made once; `list` is asked only then. */
export async function unpackPackages(name: string, list: () => Promise<readonly string[]>): Promise<string> {
  const cache = join(projectRoot(), 'node_modules', '.cache', 'debian-tools');
  const home = join(cache, name);
  if (await exists(home)) return home;
  const work = await mkdtemp(join(tmpdir(), 'debian-tool-'));
  try {
    const content = join(work, 'content');
    await mkdir(content);
    await download(list, work);
    const archives = (await readdir(work)).filter((file) => file.endsWith('.deb'));
    for (const archive of archives) await run('dpkg-deb', ['-x', join(work, archive), content]);
    await mkdir(cache, { recursive: true });
    // Several test files may do this at the same time; the first one wins and the content is the same.
    const ready = await mkdtemp(join(cache, 'new-'));
    await run('cp', ['-a', content, join(ready, 'content')]);
    await rename(join(ready, 'content'), home).catch((error: unknown) => rethrowUnlessThere(home, error));
    await rm(ready, { recursive: true, force: true });
    return home;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function rethrowUnlessThere(home: string, error: unknown): Promise<void> {
  if (!(await exists(home))) throw error;
}

/** A fresh machine knows no packages until its lists are read. */
async function download(list: () => Promise<readonly string[]>, directory: string): Promise<void> {
  const fetchPackages = async (): Promise<void> => {
    const names = await list();
    if (names.length > 0) await run('apt-get', ['download', ...names], { cwd: directory });
  };
  try {
    await fetchPackages();
  } catch {
    await run('apt-get', ['update']);
    await fetchPackages();
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Where this project stands; programs in other languages are not compiled and run from there. */
export function projectRoot(): string {
  // Two levels up from build/test/e2e, or one more where the build is in a folder of its own.
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!directory.endsWith('build') && dirname(directory) !== directory) directory = dirname(directory);
  return dirname(directory);
}
