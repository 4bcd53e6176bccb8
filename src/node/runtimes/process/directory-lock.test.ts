import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lockDirectory } from './directory-lock.ts';
import { bootId, processStat } from './proc/process-identity.ts';

async function lockFile(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-lock-'));
  t.after(() => rm(directory, { recursive: true }));
  return join(directory, 'lock');
}

describe('the lock of a directory', () => {
  it('is held by one at a time and can be taken again when released', async (t) => {
    const path = await lockFile(t);
    const lock = await lockDirectory(path);
    await assert.rejects(lockDirectory(path), new RegExp(`held by process ${process.pid}`));
    await lock.release();
    await (await lockDirectory(path)).release();
  });

  it('one of many who try at once gets it', async (t) => {
    const path = await lockFile(t);
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => lockDirectory(path)));
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  const { pid, startTime } = processStat(process.pid)!;
  const stale = {
    'of a process that is gone': JSON.stringify({ pid: 2 ** 22, startTime, boot: bootId() }),
    'of an earlier process with the same number': JSON.stringify({ pid, startTime: startTime - 1, boot: bootId() }),
    'of an earlier start of the machine': JSON.stringify({ pid, startTime, boot: 'another' }),
    'that was torn by a crash': '{"pid":',
  };
  for (const [what, content] of Object.entries(stale)) {
    it(`one ${what} holds nothing`, async (t) => {
      const path = await lockFile(t);
      await writeFile(path, content);
      await (await lockDirectory(path)).release();
    });
  }
});
