import { execFile } from 'node:child_process';
import { readdir, rename, rm, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { GitRepoVolumeSource } from '../../kinds/core/pod/pod-volume-sources.ts';
import { VolumeError } from './volume.ts';

const run = promisify(execFile);
const longestMs = 2 * 60_000;
const mostOutput = 1024 * 1024;

export interface CloneLimits {
  readonly clock: Clock;
  /** Nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** Copies a repository into a directory, once: a directory that is there holds all of it. */
export async function cloneRepository(
  source: GitRepoVolumeSource,
  directory: string,
  limits: CloneLimits,
): Promise<void> {
  if (await isThere(directory)) return;
  const { repository, revision = '', directory: target = '' } = source;
  for (const text of [repository, revision, target]) checkArgument(text);
  const draft = `${directory}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const git = (cwd: string, ...args: string[]): Promise<void> => runGit(args, cwd, limits);
  await git(draft, 'clone', '--quiet', '--', repository, ...(target === '' ? [] : [target]));
  if (revision !== '') {
    // Without a directory the repository chooses its name, and nothing else is there.
    const copy = join(draft, target === '' ? ((await readdir(draft))[0] ?? '') : target);
    await git(copy, 'checkout', '--quiet', revision);
    await git(copy, 'reset', '--quiet', '--hard');
  }
  await rename(draft, directory);
}

/** What begins like an option would be one. */
function checkArgument(text: string): void {
  if (text.startsWith('-') || text.includes('\0')) {
    throw new VolumeError(`a git repository volume cannot use ${JSON.stringify(text)}`);
  }
}

async function runGit(args: readonly string[], cwd: string, { clock, signal }: CloneLimits): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(longestMs, () => late.abort());
  // Nobody is there to be asked for a password.
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '/bin/false' };
  try {
    await run('git', [...args], { cwd, env, signal: AbortSignal.any([late.signal, signal]), maxBuffer: mostOutput });
  } catch (error) {
    if (signal.aborted) throw new VolumeError(`git ${args[0]} was given up`, { cause: error });
    throw new VolumeError(failureOf(error, args[0]!, late.signal.aborted), { cause: error });
  } finally {
    timer.cancel();
  }
}

function failureOf(error: unknown, verb: string, isLate: boolean): string {
  if (isLate) return `git ${verb} took longer than ${longestMs / 1000} seconds`;
  const { code, stderr } = error as { code?: unknown; stderr?: string };
  if (code === 'ENOENT') return 'git is not installed on this node';
  return `git ${verb} failed: ${stderr?.trim() || String(error)}`;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
