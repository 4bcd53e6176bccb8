import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lineOf, RuntimeFixture } from '../testing/runtime-fixture.ts';
import { isRunning, parseStat, processStat, signal } from './proc/process-identity.ts';
import { openForTest } from './testing/open-for-test.ts';

/** Starts something, says which process it is, and stays. */
const scripts = {
  'in its group': 'sleep 1000 & echo child $!; wait',
  'in a session of its own': 'setsid sleep 1000 & echo child $!; wait',
  'in a session of its own, without parent and environment': `setsid sh -c 'env -i sleep 1000 >/dev/null 2>&1 </dev/null & echo child $!'; sleep 1000`,
  'that ignores requests': `trap '' TERM; setsid sleep 1000 & echo child $!; wait`,
};

describe('nothing of a container is left', () => {
  for (const [what, script] of Object.entries(scripts)) {
    it(`stopping ends a process ${what}`, async (t) => {
      const fixture = await RuntimeFixture.create(t, openForTest);
      const container = await fixture.start({ script });
      const child = processStat(Number((await lineOf(container, /^child \d+$/)).split(' ')[1]));
      assert.ok(child && isRunning(child));
      await container.stop(100);
      assert.equal(isRunning(child), false);
    });
  }

  it('when the main process ends, all others are killed', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({
      script: 'setsid sleep 1000 & echo child $!; read line; exit 3',
      stdin: true,
    });
    const child = processStat(Number((await lineOf(container, /^child \d+$/)).split(' ')[1]));
    assert.ok(child && isRunning(child));
    (await container.attach()).stdin!.write('go\n');
    assert.equal((await container.exited).code, 3);
    assert.equal(isRunning(child), false);
  });

  it('a container whose supervisor is killed has ended, with all of its processes', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: 'echo main $$; exec sleep 1000' });
    const main = processStat(Number((await lineOf(container, /^main \d+$/)).split(' ')[1]))!;
    process.kill(main.parent, 'SIGKILL');
    const exit = await container.exited;
    assert.deepEqual([exit.code, exit.reason], [137, 'Error']);
    assert.equal(isRunning(main), false);
  });

  it('a container has ended also when that cannot be written down', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: 'echo here; printf half; exec sleep 1000' });
    await lineOf(container, 'here');
    await rm(join(fixture.directory, 'runtime/containers'), { recursive: true });
    assert.equal((await container.stop(0)).code, 137);
    await fixture.runtime.releasePod(container.pod);
    assert.deepEqual(await fixture.runtime.list(), []);
  });

  it('the command gets signals as if it had been started alone', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: `grep -E '^Sig(Blk|Ign)' /proc/$$/status; sleep 1000` });
    const ignored = await lineOf(container, /^SigIgn/);
    assert.match(ignored, /\t0{16}$/);
  });
});

describe('a process is known by its number and its start', () => {
  it('a signal for an earlier process with the same number reaches nobody', () => {
    const own = processStat(process.pid)!;
    assert.equal(signal({ ...own, startTime: own.startTime - 1 }, 'SIGKILL'), false);
    assert.equal(isRunning({ ...own, startTime: own.startTime + 1 }), false);
    assert.equal(isRunning(own), true);
  });

  it('names with spaces and parentheses do not confuse what is read', () => {
    const text = readFileSync('/proc/self/stat', 'latin1').replace(/\(.*\)/, '(a) b (c)');
    assert.ok(text.includes('(a) b (c)'));
    assert.equal(parseStat(text)?.startTime, processStat(process.pid)!.startTime);
    assert.equal(parseStat(text)?.parent, process.ppid);
  });
});
