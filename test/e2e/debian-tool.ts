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
    const reason = `${tool.path} of the Debian package ${tool.package} cannot be had here: ${String(cause)}`;
    if (process.env['CI']) throw new Error(reason, { cause });
    return { missing: reason };
  }
}

const cache = join(projectRoot(), 'node_modules', '.cache', 'debian-tools');

async function unpacked(tool: DebianTool): Promise<string> {
  const home = join(cache, tool.package);
  const program = join(home, tool.path);
  if (await exists(program)) return program;
  const work = await mkdtemp(join(tmpdir(), 'debian-tool-'));
  try {
    await download(tool.package, work);
    const archive = (await readdir(work)).find((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', join(work, archive ?? 'missing.deb'), join(work, 'content')]);
    await mkdir(cache, { recursive: true });
    // Several test files may do this at the same time; the first one wins and the content is the same.
    const ready = await mkdtemp(join(cache, 'new-'));
    await run('cp', ['-a', join(work, 'content'), join(ready, 'content')]);
    await rename(join(ready, 'content'), home).catch((error: unknown) => rethrowUnlessThere(program, error));
    await rm(ready, { recursive: true, force: true });
    return program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function rethrowUnlessThere(program: string, error: unknown): Promise<void> {
  if (!(await exists(program))) throw error;
}

/** A fresh machine knows no packages until its lists are read. */
async function download(name: string, directory: string): Promise<void> {
  const fetchPackage = () => run('apt-get', ['download', name], { cwd: directory });
  try {
    await fetchPackage();
  } catch {
    await run('apt-get', ['update']);
    await fetchPackage();
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function projectRoot(): string {
  // Two levels up from build/test/e2e, or one more where the build is in a folder of its own.
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!directory.endsWith('build') && dirname(directory) !== directory) directory = dirname(directory);
  return dirname(directory);
}
