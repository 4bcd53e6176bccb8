import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../../base/clock.ts';
import { openLmdbStorage } from './lmdb-storage.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const child = fileURLToPath(new URL('full-disk.test.child.js', import.meta.url));
// 32 MB at most, whether the shell counts in blocks of 512 or of 1,024 bytes.
const limited = 'ulimit -f 32768 && exec "$0" "$@"';

test('a commit that finds no room fails as a whole with Unavailable, and later writes go on', async (t) => {
  const path = await temporaryDirectory(t);
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, child, path]);
  assert.deepEqual(JSON.parse(stdout), {
    failures: ['Unavailable', 'Unavailable', 'Unavailable', 'Unavailable'],
    between: ['/before=before'],
    skipped: 0,
  });
  const storage = await openLmdbStorage({ path, clock: systemClock });
  t.after(() => storage.close());
  const { entries } = await storage.list('/');
  assert.deepEqual(
    entries.map(({ key, value }) => `${key}=${value.toString()}`),
    ['/before=after', '/later=later'],
  );
});
