import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { systemClock, type Clock, type Timer } from '../../../../base/clock.ts';
import { logOf, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { openForTest } from '../testing/open-for-test.ts';
import { patienceMs } from './attachment.ts';

/** Loses its patience when it is told to. */
class MoodyClock implements Clock {
  isImpatient = false;

  now(): number {
    return systemClock.now();
  }

  ticks(): number {
    return systemClock.ticks();
  }

  after(ms: number, callback: () => void): Timer {
    return systemClock.after(this.isImpatient && ms === patienceMs ? 10 : ms, callback);
  }
}

describe('attaching without reading', () => {
  it('one who never reads is detached with an error, and the container goes on', async (t) => {
    const clock = new MoodyClock();
    const fixture = await RuntimeFixture.create(t, (directory) => openForTest(directory, { clock }));
    const script = `read line; head -c 5000000 /dev/zero | tr '\\0' x`;
    const container = await fixture.start({ script, stdin: true });
    // Only now: a container may take its time to start.
    clock.isImpatient = true;
    const attached = await container.attach();
    const failed = once(attached.stdout, 'error') as Promise<[Error]>;
    attached.stdin!.write('go\n');
    assert.match((await failed)[0].message, /was not read/);
    assert.equal((await container.exited).code, 0);
    assert.equal((await logOf(container)).length, 5_000_000);
  });

  it('one who reads slowly gets everything', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: 'read line; seq 1 500000', stdin: true });
    const attached = await container.attach();
    attached.stdin!.write('go\n');
    let length = 0;
    for await (const chunk of attached.stdout) {
      length += (chunk as Buffer).length;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    assert.equal(length, (await logOf(container)).length);
  });
});
