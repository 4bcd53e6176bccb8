import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
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

const fileName = 'owner.json';

/**
 * Claims a directory for this process, as LMDB itself would let several write there. Fails with `Unavailable` while another owner
 * lives (this process included); what a killed owner left behind is taken over.
 */
export async function claimDirectory(directory: string): Promise<Ownership> {
  const file = join(directory, fileName);
  const own = JSON.stringify({ pid: process.pid, started: await startOf(process.pid) });
  const draft = join(directory, `${fileName}.${randomUUID()}`);
  await writeFile(draft, own, { flush: true });
  try {
    while (!(await linked(draft, file))) await removeStale(directory, file);
  } finally {
    await rm(draft, { force: true });
  }
  return { release: () => rm(file, { force: true }) };
}

/** Linking a finished file either makes it appear whole or fails: there is never a half-written owner. */
async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(directory: string, file: string): Promise<void> {
  const found = await readIfThere(file);
  if (found === undefined) return;
  const owner = parseOwner(found);
  if (owner && (await isAlive(owner))) throw inUse(directory, file, owner);
  // Two processes may get here at once. Renaming shows each what it really took away; who took a live claim puts it back.
  const aside = join(directory, `${fileName}.${randomUUID()}`);
  await rename(file, aside).catch(ignoreMissing);
  const taken = await readIfThere(aside);
  if (taken !== undefined && taken !== found) await linked(aside, file);
  await rm(aside, { force: true });
}

function inUse(directory: string, file: string, owner: Owner): StorageError {
  const who = owner.pid === process.pid ? 'this process' : `process ${owner.pid}`;
  return new StorageError('Unavailable', `${directory} is in use by ${who} (says ${file})`);
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
