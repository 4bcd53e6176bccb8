import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { RotatingFile } from './rotating-file.ts';

describe('a rotating file', () => {
  let directory: string;
  let path: string;
  const clock = new SteppedClock();
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rotating-file-'));
    path = join(directory, 'audit.log');
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function appendAll(texts: readonly string[], maxBackups: number): Promise<void> {
    const file = await RotatingFile.open({ path, maxBytes: 10, maxBackups, clock, logger: silentLogger });
    for (const text of texts) {
      await file.append(Buffer.from(text));
      clock.step(1000);
    }
    await file.close();
  }

  async function contents(): Promise<string[]> {
    const names = (await readdir(directory)).sort();
    return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  }

  it('grows up to its bound and is then put aside', async () => {
    await appendAll(['1234567', '890', 'abc'], 0);
    assert.deepEqual(await contents(), ['1234567890', 'abc']);
    const names = (await readdir(directory)).sort();
    assert.match(names[0] ?? '', /^audit-2030-01-01T\d\d-\d\d-\d\d\.\d{3}\.log$/);
  });

  it('counts what was there when it was opened', async () => {
    await writeFile(path, '12345678');
    await appendAll(['abc'], 0);
    assert.deepEqual(await contents(), ['12345678', 'abc']);
  });

  it('keeps only so many of those put aside, and touches no other file', async () => {
    const others = ['audit-notes.log', 'audit-2030-01-01T00-00-00.000.txt', 'other-2030-01-01T00-00-00.000.log'];
    for (const name of others) await writeFile(join(directory, name), 'kept');
    await appendAll(['11111111', '22222222', '33333333', '44444444', '555'], 2);
    assert.deepEqual((await contents()).sort(), ['33333333', '44444444', '555', 'kept', 'kept', 'kept'].sort());
  });

  it('puts two aside in the same millisecond', async () => {
    const file = await RotatingFile.open({ path, maxBytes: 3, maxBackups: 0, clock, logger: silentLogger });
    for (const text of ['aaa', 'bbb', 'ccc']) await file.append(Buffer.from(text));
    await file.close();
    assert.deepEqual(await contents(), ['aaa', 'bbb', 'ccc']);
  });

  it('takes what is larger than its bound as a whole', async () => {
    await appendAll(['a'.repeat(25), 'b'], 0);
    assert.deepEqual(await contents(), ['a'.repeat(25), 'b']);
  });

  it('is written on while it cannot be put aside, and put aside later, whatever the clock says', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    const file = await RotatingFile.open({ path, maxBytes: 3, maxBackups: 0, clock, logger });
    await file.append(Buffer.from('aaa'));
    await rename(directory, `${directory}-moved`);
    for (const text of ['bbb', 'ccc']) await file.append(Buffer.from(text));
    await rename(`${directory}-moved`, directory);
    assert.deepEqual(await contents(), ['aaabbbccc']);
    assert.equal(warnings.length, 1);
    clock.setBy(-60 * 60_000);
    clock.step(60_000);
    await file.append(Buffer.from('ddd'));
    assert.deepEqual(await contents(), ['aaabbbccc', 'ddd']);
    await file.close();
  });

  it('is begun anew where somebody has moved it away', async () => {
    const file = await RotatingFile.open({ path, maxBytes: 3, maxBackups: 0, clock, logger: silentLogger });
    await file.append(Buffer.from('aaa'));
    await rename(path, join(directory, 'moved'));
    await file.append(Buffer.from('bbb'));
    await file.close();
    assert.equal(await readFile(path, 'utf8'), 'bbb');
    assert.equal(await readFile(join(directory, 'moved'), 'utf8'), 'aaa');
  });

  it('can be read by its owner only', async () => {
    await appendAll(['a'], 0);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  it('has its directory made', async () => {
    path = join(directory, 'new', 'audit.log');
    await appendAll(['a'], 0);
    assert.equal(await readFile(path, 'utf8'), 'a');
  });

  it('cannot be opened where a file stands in the way', async () => {
    await writeFile(path, '');
    const options = { path: join(path, 'audit.log'), maxBytes: 10, maxBackups: 0, clock, logger: silentLogger };
    await assert.rejects(RotatingFile.open(options), { code: 'EEXIST' });
  });
});
