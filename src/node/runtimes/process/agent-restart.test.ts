import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../../base/clock.ts';
import { SteppedClock } from '../../../base/stepped-clock.ts';
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

describe('an agent that goes while a container has time to end', () => {
  it('leaves it to the next one to kill it', async (t) => {
    const clock = new SteppedClock();
    const clocks = [clock, systemClock];
    const fixture = await RuntimeFixture.create(t, (directory) => openForTest(directory, { clock: clocks.shift()! }));
    const script = `trap 'echo asked' TERM; echo ready; while :; do sleep 1000 & wait; done`;
    const container = await fixture.start({ script });
    await lineOf(container, 'ready');
    void container.stop(5000);
    await lineOf(container, 'asked');
    await fixture.reopen();
    clock.step(5000);
    const next = await fixture.only();
    await outcomeOf(await next.exec(['true'], { tty: false, stdin: false }));
    assert.equal(next.exit, undefined);
    assert.equal((await next.stop(0)).code, 137);
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
  it('is not left by way of the uid of a pod', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    for (const uid of ['..', '.', '../..', 'a/b', '']) {
      const pod = { ...fixture.pod('web'), metadata: { name: 'web', namespace: 'default', uid } };
      await assert.rejects(fixture.runtime.preparePod(pod), /cannot name a directory/, uid);
      await fixture.runtime.releasePod({ name: 'web', namespace: 'default', uid });
    }
    assert.ok((await readdir(join(fixture.directory, 'runtime'))).includes('containers'));
  });

  it('belongs to one agent at a time', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    await assert.rejects(openForTest(join(fixture.directory, 'runtime')), /held by process \d+/);
  });
});
