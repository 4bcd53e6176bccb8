import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerExit } from '../../../runtime.ts';
import { containerFiles } from './container-record.ts';

/** More than this of a termination message is cut off. */
const maxMessage = 4096;
/** For a container of which nobody saw the end, because the machine went down or its supervisor was killed. */
const lostCode = 137;

export interface ExitCircumstances {
  readonly now: number;
  /** Whether something of it was killed because it needed more memory than it may have. */
  readonly outOfMemory: boolean;
}

/** How a container ended, from what its supervisor and its program left. */
export async function exitOf(directory: string, { now, outOfMemory }: ExitCircumstances): Promise<ContainerExit> {
  const file = join(directory, containerFiles.exitCode);
  const text = await readFile(file, 'utf8').catch(() => '');
  const message = await terminationMessage(join(directory, containerFiles.terminationLog));
  if (!/^\d+\n/.test(text))
    return { code: lostCode, finishedAt: now, reason: 'Error', message: message ?? 'nobody saw how it ended' };
  const code = Number.parseInt(text, 10);
  const { mtimeMs } = await stat(file);
  // As in the reference, also when the main process went on without the one that was killed, and ended well.
  const reason = outOfMemory ? 'OOMKilled' : code === 0 ? 'Completed' : 'Error';
  return { code, finishedAt: Math.round(mtimeMs), reason, ...(message !== undefined && { message }) };
}

async function terminationMessage(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(maxMessage), 0, maxMessage, 0);
      return bytesRead > 0 ? buffer.toString('utf8', 0, bytesRead) : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
