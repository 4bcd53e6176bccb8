import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, readlink, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { replaceFiles, type Files } from './atomic-files.ts';
import { VolumeError } from './volume.ts';

async function openDirectory(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-files-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'volume');
}

function files(contents: Record<string, string>): Files {
  return new Map(Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]));
}

const visible = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => !name.startsWith('..')).sort();

test('files appear under their paths, for all to read', async (context) => {
  const directory = await openDirectory(context);
  await replaceFiles(directory, files({ a: 'one', 'deep/er/b': 'two' }));
  assert.equal(await readFile(join(directory, 'a'), 'utf8'), 'one');
  assert.equal(await readFile(join(directory, 'deep/er/b'), 'utf8'), 'two');
  assert.deepEqual(await visible(directory), ['a', 'deep']);
  assert.equal((await stat(join(directory, 'a'))).mode & 0o777, 0o644);
  assert.equal((await stat(join(directory, 'deep/er'))).mode & 0o777, 0o755);
  assert.equal((await stat(directory)).mode & 0o777, 0o755);
  assert.equal(await readlink(join(directory, 'a')), '..data/a');
});

test('a change swaps all files at once, and the old ones go', async (context) => {
  const directory = await openDirectory(context);
  await replaceFiles(directory, files({ a: 'one', b: 'x', 'deep/c': 'y' }));
  const before = await realpath(join(directory, '..data'));
  await replaceFiles(directory, files({ a: 'two', d: 'z' }));
  assert.notEqual(await realpath(join(directory, '..data')), before);
  assert.equal(await readFile(join(directory, 'a'), 'utf8'), 'two');
  assert.deepEqual(await visible(directory), ['a', 'd']);
  const all = await readdir(directory);
  assert.equal(all.filter((name) => name.startsWith('..files-')).length, 1);
  assert.equal(all.length, 4);
});

test('a reader that has opened the old files sees only old ones', async (context) => {
  const directory = await openDirectory(context);
  await replaceFiles(directory, files({ a: '1', b: '1' }));
  for (let round = 2; round < 20; round++) {
    const replaced = replaceFiles(directory, files({ a: String(round), b: String(round) }));
    const data = await realpath(join(directory, '..data'));
    const pair = await Promise.all(['a', 'b'].map((name) => readFile(join(data, name), 'utf8').catch(() => 'gone')));
    assert.equal(pair[0] === 'gone' || pair[1] === 'gone' || pair[0] === pair[1], true);
    await replaced;
  }
});

test('nothing is touched where the files are the same', async (context) => {
  const directory = await openDirectory(context);
  await replaceFiles(directory, files({ a: 'one' }));
  const before = await realpath(join(directory, '..data'));
  await replaceFiles(directory, files({ a: 'one' }));
  assert.equal(await realpath(join(directory, '..data')), before);
});

test('what was cut short or put in between is set right', async (context) => {
  const directory = await openDirectory(context);
  await replaceFiles(directory, files({ a: 'one' }));
  await symlink('nowhere', join(directory, '..data_new'));
  await rm(join(directory, 'a'));
  await writeFile(join(directory, 'a'), 'in between');
  await writeFile(join(directory, 'b'), 'in between');
  await replaceFiles(directory, files({ a: 'two' }));
  assert.equal(await readFile(join(directory, 'a'), 'utf8'), 'two');
  assert.deepEqual(await visible(directory), ['a']);
});

test('no files are an empty directory', async (context) => {
  const directory = await openDirectory(context);
  await replaceFiles(directory, files({ a: 'one' }));
  await replaceFiles(directory, files({}));
  assert.deepEqual(await visible(directory), []);
});

test('paths that lead elsewhere are refused', async (context) => {
  const directory = await openDirectory(context);
  for (const path of ['../a', 'a/../b', '/a', '..data', '..data/x', '', '.', 'a//b', 'a\0b']) {
    await assert.rejects(replaceFiles(directory, files({ [path]: 'x' })), VolumeError, path);
  }
});
