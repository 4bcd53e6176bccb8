import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failsWith } from '../suite/expectations.ts';
import { claimDirectory } from './owner-file.ts';
import { temporaryDirectory } from './temporary-directory.ts';

test('a directory has one owner at a time, within one process too', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await claimDirectory(directory);
  await failsWith('Unavailable', claimDirectory(directory));
  await first.release();
  await (await claimDirectory(directory)).release();
  assert.deepEqual(await readdir(directory), []);
});

test('of many that claim a directory at once no two get it, and it can be claimed after', async (t) => {
  for (let round = 0; round < 20; round++) {
    const directory = await temporaryDirectory(t);
    await writeFile(join(directory, 'owner-stale.json'), JSON.stringify({ pid: process.pid, started: '1' }));
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => claimDirectory(directory)));
    const claims = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    assert.ok(claims.length <= 1);
    await claims[0]?.release();
    await (await claimDirectory(directory)).release();
    assert.deepEqual(await readdir(directory), []);
  }
});

test('a claim of a process that lives is respected, of one that was killed taken over', async (t) => {
  const directory = await temporaryDirectory(t);
  const program = `import(${JSON.stringify(new URL('owner-file.js', import.meta.url).href)})
    .then(({ claimDirectory }) => claimDirectory(${JSON.stringify(directory)}))
    .then(() => process.stdout.write('claimed'));
    setInterval(() => {}, 1_000_000);`;
  const other = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  await failsWith('Unavailable', claimDirectory(directory));
  other.kill('SIGKILL');
  await once(other, 'exit');
  await (await claimDirectory(directory)).release();
});

test('a claim of an earlier process with the same id is taken over', async (t) => {
  const directory = await temporaryDirectory(t);
  const owner = { pid: process.pid, started: '1' };
  await writeFile(join(directory, 'owner-earlier.json'), JSON.stringify(owner));
  await (await claimDirectory(directory)).release();
});

test('an owner file that says nothing is taken over', async (t) => {
  for (const text of ['', 'nonsense', 'null', '{}', '{"pid":"1","started":1}']) {
    const directory = await temporaryDirectory(t);
    await writeFile(join(directory, 'owner-earlier.json'), text);
    await (await claimDirectory(directory)).release();
  }
});
