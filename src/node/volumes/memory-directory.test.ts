import assert from 'node:assert/strict';
import { lstat, mkdtemp, readdir, readFile, readlink, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isInMemory, makeMemoryDirectory, releaseMemory } from './memory-directory.ts';

const cannotMount = process.getuid?.() !== 0 && 'only root can mount';
const cannotShare = !(await isInMemory('/dev/shm')) && '/dev/shm is not in memory here';

let directory: string;
let path: string;
beforeEach(async () => {
  // White space has to survive the kernel's own table.
  directory = await mkdtemp(join(tmpdir(), 'wherry memory-'));
  path = join(directory, 'v');
});
afterEach(async () => {
  await releaseMemory(directory);
  await rm(directory, { recursive: true, force: true });
});

async function mounted(): Promise<boolean> {
  return (await readFile('/proc/self/mountinfo', 'utf8')).includes(directory.replace(' ', String.raw`\040`));
}

test('root gets a file system of the size that is asked for', { skip: cannotMount }, async () => {
  assert.equal(await makeMemoryDirectory(path, { bytes: 1024 * 1024 }), undefined);
  assert.ok((await isInMemory(path)) && (await mounted()));
  const { blocks, bsize } = await statfs(path);
  assert.equal(blocks * bsize, 1024 * 1024);
  assert.equal((await stat(path)).mode & 0o777, 0o777);
  await assert.rejects(writeFile(join(path, 'big'), Buffer.alloc(2 * 1024 * 1024)), { code: 'ENOSPC' });
});

test('what is there is kept, and gone after its release', { skip: cannotMount }, async () => {
  await makeMemoryDirectory(path);
  await writeFile(join(path, 'file'), 'kept');
  await makeMemoryDirectory(path);
  assert.equal(await readFile(join(path, 'file'), 'utf8'), 'kept');
  await releaseMemory(directory);
  assert.equal(await mounted(), false);
  assert.deepEqual(await readdir(path), []);
  await releaseMemory(directory);
});

test('without a mount it is a private place in shared memory', { skip: cannotShare }, async () => {
  assert.equal(await makeMemoryDirectory(path, { mayMount: false }), undefined);
  assert.ok((await isInMemory(path)) && !(await mounted()));
  const target = await readlink(path);
  assert.equal((await stat(target)).mode & 0o777, 0o777);
  assert.equal((await stat(dirname(target))).mode & 0o777, 0o700);
  await writeFile(join(path, 'file'), 'kept');
  await makeMemoryDirectory(path, { mayMount: false });
  assert.equal(await readFile(join(path, 'file'), 'utf8'), 'kept');
  // As after a start of the machine, which leaves nothing in memory.
  await rm(dirname(target), { recursive: true });
  await makeMemoryDirectory(path, { mayMount: false });
  const anew = await readlink(path);
  assert.deepEqual(await readdir(path), []);
  await releaseMemory(directory);
  await assert.rejects(lstat(dirname(anew)), { code: 'ENOENT' });
});

test('links that lead elsewhere are left alone', { skip: cannotShare }, async (t) => {
  const other = await mkdtemp('/dev/shm/other-');
  t.after(() => rm(other, { recursive: true }));
  await symlink(other, path);
  await releaseMemory(directory);
  assert.ok((await stat(other)).isDirectory());
});
