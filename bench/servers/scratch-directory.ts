import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that goes when it is removed, and with this process at the latest. */
export interface ScratchDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeScratchDirectory(): Promise<ScratchDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'wherry-bench-'));
  const removeNow = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', removeNow);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      process.off('exit', removeNow);
    },
  };
}
