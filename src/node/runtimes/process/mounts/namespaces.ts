import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HostTools } from '../host-tools.ts';
import { quoteAll } from '../shell-quote.ts';
import { planRoot } from './root-plan.ts';
import { rootScript, stagingDirectory } from './root-script.ts';

const run = promisify(execFile);

/** How a container gets a file system and a host name of its own: with the rights of root, or through a user namespace without them. */
export type NamespaceSort = 'root' | 'user';

/** What the kernel lets us do; found out once. */
export type NamespaceSupport =
  { readonly sort: NamespaceSort } | { readonly sort: 'none'; /** What the kernel said. */ readonly reason: string };

/** Tries it out with a whole container's file system, in a directory that is removed again. */
export async function findNamespaceSupport(directory: string, tools: HostTools): Promise<NamespaceSupport> {
  const sorts: readonly NamespaceSort[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];
  let reason = '';
  for (const sort of sorts) {
    const failure = await tryOut(sort, directory, tools);
    if (failure === undefined) return { sort };
    reason ||= failure;
  }
  return { sort: 'none', reason };
}

async function tryOut(sort: NamespaceSort, parent: string, tools: HostTools): Promise<string | undefined> {
  const directory = await mkdtemp(join(parent, 'try-'));
  try {
    await mkdir(join(directory, stagingDirectory));
    const { commands, files } = rootScript(
      planRoot({ mounts: [], directories: [], allDevices: false }),
      directory,
      tools,
    );
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    const last = quoteAll([...ownUser(sort, tools), tools.sh, '-c', ':']);
    const [program, ...args] = [...newNamespaces(sort, tools), tools.sh, '-c', `${commands} &&\n${last}`];
    await run(program, args, { cwd: directory });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr || message).trim().split('\n', 1)[0] ?? message;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Stands before a command that is to run in namespaces of its own. There it may mount what it likes. */
export function newNamespaces(sort: NamespaceSort, tools: HostTools): string[] {
  const unshare = tools.find('unshare', 'to give containers mounts of their own');
  return [unshare, ...(sort === 'user' ? ['--user', '--map-root-user'] : []), '--mount', '--uts', '--'];
}

/** Stands before the container's own command. In a user namespace it gives back the user we are, and takes the right to mount. */
export function ownUser(sort: NamespaceSort, tools: HostTools): string[] {
  if (sort === 'root') return [];
  const unshare = tools.find('unshare', 'to give containers mounts of their own');
  return [unshare, '--user', `--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`, '--'];
}

/** Stands before a command that joins a container through its supervisor; `ownUser` comes behind it, as for the container's own command. */
export function joinNamespaces(sort: NamespaceSort, tools: HostTools, supervisor: number): string[] {
  const nsenter = tools.find('nsenter', 'to run commands within the mounts of a container');
  const user = sort === 'user' ? ['--user', '--preserve-credentials'] : [];
  return [nsenter, '--target', `${supervisor}`, ...user, '--mount', '--uts', '--'];
}
