import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import {
  idle,
  lineOf,
  logOf,
  numberLines,
  outcomeOf,
  RuntimeFixture,
  type OpenRuntime,
} from '../testing/runtime-fixture.ts';
import { untilItWorks } from '../testing/until-it-works.ts';

/** What containers do while there is no agent. */
export function restartSuite(open: OpenRuntime): void {
  it('containers go on without an agent and are found again', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const before = await fixture.start({ script: `echo before; ${idle}` });
    await lineOf(before, 'before');
    await fixture.reopen();
    const after = await fixture.only();
    assert.equal(after.exit, undefined);
    const { id, pod, name, attempt, imageId, startedAt } = before;
    assert.deepEqual({ ...after, id: after.id, pod: after.pod, name: after.name, attempt: after.attempt, imageId: after.imageId, startedAt: after.startedAt }, { ...after, id, pod, name, attempt, imageId, startedAt }); // prettier-ignore
    assert.equal((await outcomeOf(await after.exec(['echo', 'still here'], { tty: false, stdin: false }))).stdout, 'still here\n'); // prettier-ignore
    assert.equal((await after.stop(0)).code, 137);
  });

  it('a command that is asked for while the agent goes is not started', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const command = container.exec(['sleep', '1000'], { tty: false, stdin: false });
    await Promise.all([assert.rejects(command, /not running/), fixture.reopen()]);
    assert.equal((await fixture.only()).exit, undefined);
  });

  it('one that ends while there is no agent is found with its exit code and all of its log', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const signalFile = join(fixture.directory, 'signal');
    const doneFile = join(fixture.directory, 'done');
    await fixture.start({
      script: `until [ -e '${signalFile}' ]; do sleep 0.01; done; seq 1 1000; touch '${doneFile}'; exit 9`,
    });
    await fixture.reopen(async () => {
      await writeFile(signalFile, '');
      await untilItWorks(() => readFile(doneFile));
    });
    const container = await fixture.only();
    assert.equal((await container.exited).code, 9);
    assert.equal(await logOf(container), numberLines(1000));
  });

  it('one that writes more than fits while there is no agent waits, and nothing is lost', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const signalFile = join(fixture.directory, 'signal');
    await fixture.start({ script: `until [ -e '${signalFile}' ]; do sleep 0.01; done; seq 1 200000` });
    await fixture.reopen(() => writeFile(signalFile, ''));
    const container = await fixture.only();
    assert.equal((await container.exited).code, 0);
    assert.equal(await logOf(container), numberLines(200_000));
  });

  it('a log that is written all the time has every line once after several restarts', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'seq 1 300000' });
    await lineOf(container, '2000');
    for (let i = 0; i < 3; i++) await fixture.reopen();
    const last = await fixture.only();
    await last.exited;
    assert.equal(await logOf(last), numberLines(300_000));
  });

  it('ended containers are still there after a restart, until removed', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'echo words; echo why >/dev/termination-log; exit 4' });
    const exit = await container.exited;
    await fixture.reopen();
    const found = await fixture.only();
    assert.deepEqual(found.exit, exit);
    assert.deepEqual(await found.exited, exit);
    assert.equal(await logOf(found, { follow: true }), 'words\n');
    await found.remove();
    await fixture.reopen();
    assert.deepEqual(await fixture.runtime.list(), []);
  });
}
