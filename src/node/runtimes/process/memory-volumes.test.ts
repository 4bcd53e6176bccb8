import assert from 'node:assert/strict';
import { stat, writeFile, realpath, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isInMemory, makeMemoryDirectory } from '../../volumes/memory-directory.ts';
import { volumesOf } from '../../volumes/volume.ts';
import { RuntimeFixture } from '../testing/runtime-fixture.ts';
import { openForTest } from './testing/open-for-test.ts';

test('volumes in memory go with their pod, also when whoever made them is gone', async (t) => {
  const fixture = await RuntimeFixture.create(t, openForTest);
  const places: string[] = [];
  for (const name of ['released', 'unknown']) {
    const { directory } = await fixture.runtime.preparePod(fixture.pod(name));
    const path = join(volumesOf(directory), 'v');
    await mkdir(volumesOf(directory), { recursive: true });
    assert.equal(await makeMemoryDirectory(path), undefined);
    assert.ok(await isInMemory(path));
    await writeFile(join(path, 'file'), 'x');
    places.push(await realpath(path));
  }
  await fixture.reopen();
  await fixture.runtime.releasePod({ namespace: 'default', name: 'released', uid: 'uid-of-released' });
  await fixture.runtime.releaseOthers(new Set());
  for (const place of places) await assert.rejects(stat(place), { code: 'ENOENT' });
});
