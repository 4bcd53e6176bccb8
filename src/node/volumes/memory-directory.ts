import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  rmdir,
  statfs,
  symlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface MemoryDirectoryOptions {
  /** The most that it may hold; half of the machine's memory, as the kernel has it, when absent. */
  readonly bytes?: number;
  /** Whether a file system of its own may be tried; only root can mount one. */
  readonly mayMount?: boolean;
}

const run = promisify(execFile);
/** What our file systems are called among all that are mounted. */
const source = 'wherry-memory';
/** Memory that every user of a machine may keep files in. */
const sharedMemory = '/dev/shm';
const sharedName = /^\/dev\/shm\/wherry-memory-[^/]+\/data$/;
/** How the kernel calls a file system that is kept in memory. */
const tmpfsType = 0x01021994;

/**
 * Makes a directory whose files are in memory: a file system of its own where it may be mounted, else a link to a private place in the memory that all users
 * share. Gives the reason where neither can be had, and an ordinary directory stands there instead. One that is there is kept.
 */
export async function makeMemoryDirectory(
  path: string,
  { bytes, mayMount = process.getuid?.() === 0 }: MemoryDirectoryOptions = {},
): Promise<string | undefined> {
  if (await isInMemory(path)) return undefined;
  // A link may have lost what it leads to when the machine started anew.
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink()) await rm(path);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o777);
  if (mayMount && (await mountMemory(path, bytes))) return undefined;
  return linkSharedMemory(path);
}

/** Frees what directories in memory below this one hold, and takes them away, so that it can be removed as any other. */
export async function releaseMemory(directory: string): Promise<void> {
  for (const path of await mountsBelow(directory)) {
    // Containers that were started since may still see the file system: the files are what takes memory.
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
    await run('umount', ['-n', path]).catch(() => run('umount', ['-n', '-l', path]));
  }
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isSymbolicLink()) continue;
    const target = await readlink(join(directory, entry.name));
    if (sharedName.test(target)) await rm(dirname(target), { recursive: true, force: true });
  }
}

export async function isInMemory(path: string): Promise<boolean> {
  const found = await statfs(path).catch(() => undefined);
  return found?.type === tmpfsType;
}

async function mountMemory(path: string, bytes: number | undefined): Promise<boolean> {
  const options = ['mode=0777', ...(bytes === undefined ? [] : [`size=${bytes}`])].join(',');
  return run('mount', ['-n', '-t', 'tmpfs', '-o', options, source, path]).then(
    () => true,
    () => false,
  );
}

/** Others of the machine cannot get beyond the outer of the two directories. */
async function linkSharedMemory(path: string): Promise<string | undefined> {
  if (!(await isInMemory(sharedMemory)))
    return `only root can mount a file system in memory, and ${sharedMemory} is none`;
  let outer: string;
  try {
    outer = await mkdtemp(join(sharedMemory, 'wherry-memory-'));
  } catch (error) {
    return `only root can mount a file system in memory, and ${(error as Error).message}`;
  }
  const data = join(outer, 'data');
  await mkdir(data);
  await chmod(data, 0o777);
  await rmdir(path);
  await symlink(data, path);
  return undefined;
}

/** Our own file systems below a directory, the innermost first. */
async function mountsBelow(directory: string): Promise<string[]> {
  const within = await realpath(directory).catch(() => directory);
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const paths: string[] = [];
  for (const line of table.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const path = unescape(before.split(' ')[4] ?? '');
    if (after.split(' ')[1] === source && path.startsWith(`${within}/`)) paths.push(path);
  }
  return paths.toReversed();
}

/** The table writes white space in paths as octal numbers. */
function unescape(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
