import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lineOf, outcomeOf, RuntimeFixture } from '../testing/runtime-fixture.ts';
import { isRunning, processStat } from './proc/process-identity.ts';
import { runAndKillAgent } from './testing/agent-process.ts';
import { openForTest } from './testing/open-for-test.ts';

/** A runtime whose containers were started by an agent that was killed. */
async function afterKill(t: TestContext, count: number): Promise<RuntimeFixture> {
  let line = '';
  const fixture = await RuntimeFixture.create(t, async (directory) => {
    line = await runAndKillAgent([directory, String(count)]);
    return openForTest(directory);
  });
  assert.equal(line, 'ready\n');
  return fixture;
}

describe('an agent that is killed', () => {
  it('leaves 200 containers that run on and are found again', async (t) => {
    const { runtime } = await afterKill(t, 200);
    const containers = await runtime.list();
    assert.equal(containers.length, 200);
    assert.equal(new Set(containers.map(({ pod }) => pod.name)).size, 200);
    assert.deepEqual(
      containers.filter(({ exit }) => exit),
      [],
    );
    const exec = await containers[17]!.exec(['echo', 'alive'], { tty: false, stdin: false });
    assert.equal((await outcomeOf(exec)).stdout, 'alive\n');
    await Promise.all(containers.map((container) => container.stop(10_000)));
    for (const container of containers) await runtime.releasePod(container.pod);
    assert.deepEqual(await runtime.list(), []);
  });

  it('loses its hold on the directory', async (t) => {
    const fixture = await afterKill(t, 1);
    assert.equal((await fixture.runtime.list()).length, 1);
  });
});

describe('a container of which nobody can read what it is', () => {
  it('is ended, so that it does not run beside the one that takes its place', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: 'echo main $$; exec sleep 1000' });
    const main = processStat(Number((await lineOf(container, /^main \d+$/)).split(' ')[1]))!;
    const containers = join(fixture.directory, 'runtime/containers');
    await fixture.reopen(async () => {
      const [id = ''] = await readdir(containers);
      await writeFile(join(containers, id, 'container.json'), '{ torn');
    });
    assert.deepEqual(await fixture.runtime.list(), []);
    assert.equal(isRunning(main), false);
    assert.deepEqual(await readdir(containers), []);
  });
});

describe('a directory', () => {
  it('belongs to one agent at a time', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    await assert.rejects(openForTest(join(fixture.directory, 'runtime')), /held by process \d+/);
  });
});
