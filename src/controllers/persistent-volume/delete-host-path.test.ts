import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { persistentVolume, type PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import { deleteHostPath } from './delete-host-path.ts';

/** A directory for temporary files with a volume in it, beside one that is none. */
async function openDirectories(t: TestContext): Promise<{ root: string; volume: string; outside: string }> {
  const base = await mkdtemp(join(tmpdir(), 'wherry-volumes-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, 'root'), join(base, 'root-not')];
  const volume = join(root, 'volumes', 'one');
  for (const directory of [volume, outside]) {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'file'), 'x');
  }
  return { root, volume, outside };
}

function volumeAt(path: string): PersistentVolume {
  const { spec } = persistentVolume.example;
  return { ...persistentVolume.example, spec: { ...spec, nfs: undefined, hostPath: { path } } };
}

test('the directory of a volume is deleted with all that is in it, and what is beside it stays', async (t) => {
  const { root, volume } = await openDirectories(t);
  await writeFile(join(root, 'beside'), 'x');
  await deleteHostPath(volumeAt(volume), root);
  assert.deepEqual([existsSync(volume), existsSync(join(root, 'beside'))], [false, true]);
});

test('a directory that is not there is deleted already', async (t) => {
  const { root, volume } = await openDirectories(t);
  await deleteHostPath(volumeAt(join(root, 'nothing', 'here')), root);
  await deleteHostPath(volumeAt(join(volume, 'nothing')), root);
});

test('nothing outside the directory for temporary files is deleted, nor that directory itself', async (t) => {
  const { root, outside } = await openDirectories(t);
  for (const path of [outside, join(root, '..', 'root-not'), root, `${root}/`, '/', '..', join(root, 'x', '..')]) {
    await assert.rejects(deleteHostPath(volumeAt(path), root), /by hand/, path);
  }
  assert.ok(existsSync(join(outside, 'file')));
});

test('links do not lead out: a link on the way is refused, a link at the end goes without what it leads to', async (t) => {
  const { root, outside } = await openDirectories(t);
  await symlink(outside, join(root, 'link'));
  await assert.rejects(deleteHostPath(volumeAt(join(root, 'link', 'file')), root), /by hand/);
  await deleteHostPath(volumeAt(join(root, 'link')), root);
  assert.deepEqual([existsSync(join(root, 'link')), existsSync(join(outside, 'file'))], [false, true]);
});

test('what is behind other volumes is not deleted here', async () => {
  await assert.rejects(deleteHostPath(persistentVolume.example), /only volumes of hostPath/);
});
