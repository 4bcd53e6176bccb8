import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { bootId, isRunning, processStat } from './proc/process-identity.ts';

/** Says that a directory belongs to one process, until released or until that process is gone, however it went. */
export interface DirectoryLock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly startTime: number;
  readonly boot: string;
}

const attempts = 10;

/** Fails when a living process holds the lock, this one included. `path` is the lock's file. */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  const own = JSON.stringify(ownHolder());
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await createFile(path, own)) return { release: () => rm(path, { force: true }) };
    const holder = await readHolder(path);
    if (holder && holder.boot === bootId() && isRunning(holder))
      throw new Error(`${path} is held by process ${holder.pid}: another node agent uses this directory`);
    if (holder) await setAside(path, JSON.stringify(holder));
  }
  throw new Error(`${path} cannot be taken: others keep taking it`);
}

function ownHolder(): Holder {
  return { pid: process.pid, startTime: processStat(process.pid)?.startTime ?? 0, boot: bootId() };
}

async function createFile(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** One that cannot be read was torn by a crash and holds nothing; nothing at all when the file is gone. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const { pid, startTime, boot } = JSON.parse(await readFile(path, 'utf8')) as Holder;
    return { pid, startTime, boot };
  } catch (error) {
    return error instanceof SyntaxError ? { pid: 0, startTime: 0, boot: '' } : undefined;
  }
}

/** Removes a lock whose holder is gone, unless somebody else has replaced it meanwhile: then it is put back. */
async function setAside(path: string, expected: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const holder = await readHolder(aside);
  if (JSON.stringify(holder) !== expected) await rename(aside, path);
  else await rm(aside, { force: true });
}
