import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RuntimeError } from '../../runtime.ts';
import { idle, lineOf, logOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** What a container has while it lives, and what is told of its end. */
export function livesSuite(open: OpenRuntime): void {
  it('a container has its command, environment and directory, and its exit code is told', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const environment = { GREETING: `a 'quoted' "word"\nand a line`, UNUSUAL: '$HOME `id` \\n' };
    const script = 'printf "%s|" "$GREETING" "$UNUSUAL" "$@"; pwd; exit 3';
    const container = await fixture.start(
      { command: ['/bin/sh', '-c', script, 'sh'], args: ['', 'two words'], workingDir: '/usr' },
      { environment },
    );
    const { code, reason, finishedAt } = await container.exited;
    assert.deepEqual({ code, reason }, { code: 3, reason: 'Error' });
    assert.ok(finishedAt >= container.startedAt - 1);
    assert.equal(await logOf(container), `${environment.GREETING}|${environment.UNUSUAL}||two words|/usr\n`);
    assert.equal(container.exit?.code, 3);
  });

  it('a container that ends well is Completed', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: ':' });
    assert.equal((await container.exited).reason, 'Completed');
  });

  it('what a container leaves at its terminationMessagePath is told', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const [usual, own] = await Promise.all([
      fixture.start({ name: 'usual', script: 'echo no luck >/dev/termination-log; exit 1' }),
      fixture.start({ name: 'own', script: 'echo done >/results/message', terminationMessagePath: '/results/message' }),
    ]);
    assert.equal((await usual.exited).message, 'no luck\n');
    assert.equal((await own.exited).message, 'done\n');
  });

  it('a program that is not there is refused with its name, and nothing is left', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    await assert.rejects(
      fixture.start({ command: ['no-such-program'] }),
      (error) => error instanceof RuntimeError && error.reason === 'RunContainerError' && /no-such-program/.test(error.message), // prettier-ignore
    );
    assert.deepEqual(await fixture.runtime.list(), []);
  });

  it('an image that nobody knows is refused with ErrImagePull', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    await assert.rejects(
      fixture.runtime.pull({ name: 'main', image: 'registry.test/no/such-image:1' }),
      (error) => error instanceof RuntimeError && error.reason === 'ErrImagePull',
    );
  });

  it('processor time and memory of all its processes are counted', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({
      script: 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo counted; sleep 1000 & sleep 1000',
    });
    await lineOf(container, 'counted');
    const usage = await container.usage();
    assert.ok(usage && usage.cpuNanos >= 10_000_000, `${usage?.cpuNanos} ns`);
    assert.ok(usage.memoryBytes > 500_000, `${usage.memoryBytes} bytes`);
    await container.stop(0);
    assert.equal(await container.usage(), undefined);
  });

  it('of earlier attempts the last one stays, with its log', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    for (const attempt of [0, 1, 2]) {
      const container = await fixture.start({ script: `echo attempt ${attempt}` }, { attempt });
      await container.exited;
    }
    const last = await fixture.start({ script: idle }, { attempt: 3 });
    const all = await fixture.runtime.list();
    assert.deepEqual(
      all.map(({ attempt }) => attempt).sort((a, b) => a - b),
      [2, 3],
    );
    const previous = all.find(({ attempt }) => attempt === 2)!;
    assert.equal(await logOf(previous), 'attempt 2\n');
    await previous.remove();
    assert.deepEqual(await fixture.runtime.list(), [last]);
    await assert.rejects(last.remove(), /running/);
  });
}
