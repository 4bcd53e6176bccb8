import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory for one test, removed after it. What is opened in it must be closed by a later `t.after`. */
export async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-lmdb-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
