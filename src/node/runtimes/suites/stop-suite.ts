import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idle, lineOf, logOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** How containers are made to end. */
export function stopSuite(open: OpenRuntime): void {
  it('a container that is asked to end has time to do so', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({
      script: 'trap "echo tidying; exit 7" TERM; echo ready; while :; do sleep 1000 & wait; done',
    });
    await lineOf(container, 'ready');
    assert.equal((await container.stop(60_000)).code, 7);
    assert.equal(await logOf(container), 'ready\ntidying\n');
  });

  it('a container that does not want to end is killed when its time is over', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'trap "" TERM; echo ready; while :; do sleep 1000; done' });
    await lineOf(container, 'ready');
    assert.equal((await container.stop(50)).code, 137);
  });

  it('stopping one that has ended tells how it ended', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'exit 5' });
    await container.exited;
    assert.equal((await container.stop(1000)).code, 5);
  });

  it('several who stop it at once learn the same', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const exits = await Promise.all([container.stop(60_000), container.stop(0), container.stop(10)]);
    assert.equal(new Set(exits).size, 1);
  });
}
