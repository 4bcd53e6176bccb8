import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../base/clock.ts';
import { deferred } from '../../../../base/deferred.ts';
import { silentLogger } from '../../../../base/logger.ts';
import { idle, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { findHostTools } from '../host-tools.ts';
import { readPageSize } from '../proc/container-usage.ts';
import { bootId } from '../proc/process-identity.ts';
import { ProcessTable } from '../proc/process-table.ts';
import { openForTest } from '../testing/open-for-test.ts';
import { readRecord } from './container-record.ts';
import { ProcessContainer } from './process-container.ts';
import type { ContainerSurroundings } from './surroundings.ts';

function surroundings(cgroupOf: ContainerSurroundings['cgroupOf']): ContainerSurroundings {
  return {
    clock: systemClock,
    logger: silentLogger,
    tools: findHostTools(),
    table: new ProcessTable(),
    boot: bootId(),
    pageSize: readPageSize(),
    logLimits: { maxBytes: 1_000_000, maxFiles: 2 },
    cgroupOf,
    forget: () => {},
  };
}

describe('a container', () => {
  it('ends although something that belongs to its end has failed', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const { id } = await fixture.start({ script: idle });
    const directory = join(fixture.directory, 'runtime/containers', id.replace('process://', ''));
    await fixture.reopen(async () => {
      let asked = 0;
      const around = surroundings(async () => {
        if (++asked === 1) throw new Error('too many open files');
        return undefined;
      });
      const container = new ProcessContainer((await readRecord(directory))!, directory, around);
      await container.open(undefined);
      assert.equal((await container.stop(0)).code, 137);
      assert.equal(asked, 2);
    });
  });
});

describe('a command that is to run beside a container', () => {
  it('is not started when the container ends before its control groups are known', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const { id } = await fixture.start({ script: idle });
    const directory = join(fixture.directory, 'runtime/containers', id.replace('process://', ''));
    await fixture.reopen(async () => {
      const groups = deferred<undefined>();
      const around = surroundings(() => groups.promise);
      const container = new ProcessContainer((await readRecord(directory))!, directory, around);
      await container.open(undefined);
      const exec = container.exec(['sleep', '1000'], { tty: false, stdin: false });
      const refused = assert.rejects(exec, /not running/);
      const stopped = container.stop(0);
      // The end, too, needs to know the groups, once nothing of the container is left to be killed.
      while ((await around.table.scan()).has(container.record.id)) await new Promise(setImmediate);
      groups.resolve(undefined);
      await Promise.all([refused, stopped]);
      assert.equal((await around.table.scan()).has(container.record.id), false);
    });
  });
});
