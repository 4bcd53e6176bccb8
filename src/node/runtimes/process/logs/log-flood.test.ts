import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Readable } from 'node:stream';
import { logOf, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { openForTest } from '../testing/open-for-test.ts';

const lineLength = 100;
const lineCount = 1_000_000;

/** Checks that a log counts up from 1, without holding it. */
async function countOf(log: Readable): Promise<number> {
  let rest = Buffer.alloc(0);
  let expected = 1;
  for await (const chunk of log) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (; bytes.length - start >= lineLength; start += lineLength) {
      const number = Number(bytes.toString('latin1', start, start + lineLength - 1));
      if (number !== expected) assert.fail(`line ${expected} is ${number}`);
      expected++;
    }
    rest = bytes.subarray(start);
  }
  assert.equal(rest.length, 0);
  return expected - 1;
}

describe('a flood of output', () => {
  it('100 MB are in the log, each line once and in order, over many files', async (t) => {
    const logLimits = { maxBytes: 20_000_000, maxFiles: 20 };
    const fixture = await RuntimeFixture.create(t, (directory) => openForTest(directory, { logLimits }));
    const container = await fixture.start({ script: `seq -f '%0${lineLength - 1}.0f' 1 ${lineCount}` });
    const following = countOf(await container.logs({ follow: true, timestamps: false }));
    assert.equal((await container.exited).code, 0);
    assert.equal(await following, lineCount);
    assert.equal(await countOf(await container.logs({ follow: false, timestamps: false })), lineCount);
    assert.equal((await logOf(container, { tailLines: 2 })).length, 2 * lineLength);
  });

  it('only the newest files of a log are kept, and a tail reaches across them', async (t) => {
    const logLimits = { maxBytes: 100_000, maxFiles: 3 };
    const fixture = await RuntimeFixture.create(t, (directory) => openForTest(directory, { logLimits }));
    const container = await fixture.start({ script: 'seq 1 100000' });
    await container.exited;
    const directory = join(fixture.directory, 'runtime/containers', container.id.replace('process://', ''));
    const files = (await readdir(directory)).filter((name) => name.startsWith('log.'));
    assert.equal(files.length, 3);
    const kept = (await logOf(container)).trimEnd().split('\n');
    assert.equal(kept.at(-1), '100000');
    assert.equal(Number(kept[0]), 100_000 - kept.length + 1);
    const tail = (await logOf(container, { tailLines: kept.length - 1 })).trimEnd().split('\n');
    assert.deepEqual(tail, kept.slice(1));
  });
});
