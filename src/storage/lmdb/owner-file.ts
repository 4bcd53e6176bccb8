import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../storage.ts';

/** Who has a directory open. `started` tells the process from a later one with the same id. */
interface Owner {
  readonly pid: number;
  readonly started: string;
}

export interface Ownership {
  release(): Promise<void>;
}

const claimName = /^owner-[^.]+\.json$/;

/**
 * Claims a directory for this process, as LMDB itself would let several write there. Fails with `Unavailable` while another owner
 * lives (this process included); what a killed owner left behind is cleared away.
 *
 * Everyone puts up a claim under a name of its own and only then looks for others. So of two that come at once at least one sees the
 * other and gives way (both may), and nobody removes a claim that could still be valid.
 */
export async function claimDirectory(directory: string): Promise<Ownership> {
  const name = `owner-${randomUUID()}.json`;
  const claim = join(directory, name);
  await putUp(claim, { pid: process.pid, started: await startOf(process.pid) });
  try {
    for (const other of await readdir(directory)) {
      if (other !== name && claimName.test(other)) await giveWayOrClear(directory, other);
    }
  } catch (error) {
    await rm(claim, { force: true });
    throw error;
  }
  return { release: () => rm(claim, { force: true }) };
}

/** Renaming a finished file makes it appear whole: nobody reads half a claim. */
async function putUp(claim: string, owner: Owner): Promise<void> {
  const draft = `${claim}.draft`;
  await writeFile(draft, JSON.stringify(owner), { flush: true });
  await rename(draft, claim);
}

async function giveWayOrClear(directory: string, name: string): Promise<void> {
  const file = join(directory, name);
  const owner = parseOwner((await readIfThere(file)) ?? '');
  if (owner && (await isAlive(owner))) {
    const who = owner.pid === process.pid ? 'this process' : `process ${owner.pid}`;
    throw new StorageError('Unavailable', `${directory} is in use by ${who}, says ${name}`);
  }
  await rm(file, { force: true });
}

async function isAlive(owner: Owner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: there is such a process, of another user.
    if (codeOf(error) === 'ESRCH') return false;
  }
  const started = await startOf(owner.pid);
  return started === '' || owner.started === '' || started === owner.started;
}

/** When the process started, in ticks since boot; empty where the system does not say, so that only the id counts. */
async function startOf(pid: number): Promise<string> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  // The second field, the command's name in parentheses, may itself hold spaces; the start time is the twentieth behind it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function parseOwner(text: string): Owner | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    if (!('pid' in parsed) || !('started' in parsed)) return undefined;
    const { pid, started } = parsed;
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    return ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined;
  throw error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
