import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ContainerPlan } from '../../../runtime.ts';
import { lineOf, logOf, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { warningsOf } from '../container/container-plan.ts';
import { openForTest } from '../testing/open-for-test.ts';
import { findCgroupMounts, parseCgroupMounts } from './cgroup-mounts.ts';
import { unifiedCgroups } from './unified-cgroups.ts';

const mounts = await findCgroupMounts();

/** Why no limits can be tried out here: groups are made below our own, so that what holds for us holds for them. */
function cannotLimit(resource: 'cpu' | 'memory'): string | undefined {
  const own = mounts.byController.get(resource);
  if (own === undefined) return `there is no control group for ${resource} alone on this machine`;
  try {
    accessSync(own, constants.W_OK);
    return undefined;
  } catch {
    return `this user may not make control groups for ${resource}`;
  }
}

describe('where control groups are', () => {
  it('each controller of version 1 has its own place, ours within it', () => {
    const found = parseCgroupMounts(
      '33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n',
      '4:memory:/user/one\n2:cpu,cpuacct:/\n',
    );
    assert.equal(found.byController.get('memory'), '/sys/fs/cgroup/memory/user/one');
    assert.equal(found.byController.get('cpu'), '/sys/fs/cgroup/cpu,cpuacct/');
    assert.equal(found.unified, undefined);
  });

  it('version 2 has one place for all', () => {
    const found = parseCgroupMounts(
      '31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
      '0::/system.slice/x.service\n',
    );
    assert.equal(found.unified, '/sys/fs/cgroup/system.slice/x.service');
    assert.equal(found.unifiedTop, '/sys/fs/cgroup');
    assert.equal(found.byController.size, 0);
  });
});

describe('groups of version 2', () => {
  const limits = { memoryBytes: 1000, cpuMillis: 250, cpuShareMillis: 1000 };

  /** Files of the names that the kernel gives them: what is written is the same, whoever reads it. */
  async function hierarchy(t: TestContext): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-cgroups-'));
    t.after(() => rm(directory, { recursive: true }));
    return directory;
  }

  it('stand beside our own, and hold what is limited', async (t) => {
    const top = await hierarchy(t);
    const cgroups = await unifiedCgroups(
      { byController: new Map(), unifiedTop: top, unified: join(top, 'own') },
      'ours',
    );
    assert.deepEqual(cgroups.notEnforced, {});
    const { joinFiles } = await cgroups.create('one', limits);
    const group = join(top, 'ours', 'one');
    assert.deepEqual(joinFiles, [join(group, 'cgroup.procs')]);
    const read = (file: string): Promise<string> => readFile(join(group, file), 'utf8');
    assert.equal(await read('memory.max'), '1000');
    assert.equal(await read('cpu.max'), '25000 100000');
    assert.equal(await read('cpu.weight'), '39');
    for (const parent of [top, join(top, 'ours')]) {
      assert.match(await readFile(join(parent, 'cgroup.subtree_control'), 'utf8'), /^\+/);
    }
    await writeFile(join(group, 'memory.events'), 'low 0\noom 2\noom_kill 1\n');
    await writeFile(join(group, 'memory.current'), '900\n');
    await writeFile(join(group, 'memory.stat'), 'active_file 1\ninactive_file 300\n');
    const found = cgroups.find('one', ['memory', 'cpu']);
    assert.deepEqual([await found.ranOutOfMemory(), await found.memoryBytes()], [true, 600]);
  });

  it('that cannot be made leave limits without effect, which is told', async () => {
    const nowhere = { byController: new Map<string, string>() };
    const cgroups = await unifiedCgroups(nowhere, 'ours');
    const container = { name: 'main', image: 'x' };
    const warnings = warningsOf({ container } as ContainerPlan, limits, cgroups);
    assert.deepEqual(warnings, [
      'its memory limit is not enforced: control groups are not mounted',
      'its cpu limit is not enforced: control groups are not mounted',
    ]);
    assert.deepEqual((await cgroups.create('one', limits)).joinFiles, []);
  });
});

describe('limits of containers', () => {
  it('processor time is held to its limit', { skip: cannotLimit('cpu') }, async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const script = 'cat /proc/self/cgroup; end=$(($(date +%s%N) + 1000000000)); while [ $(date +%s%N) -lt $end ]; do :; done; echo done; exec sleep 1000'; // prettier-ignore
    const container = await fixture.start({ script, resources: { limits: { cpu: '100m' } } });
    assert.deepEqual(container.warnings, []);
    await lineOf(container, 'done');
    assert.match(await logOf(container), /cpu.*:\/wherry-[0-9a-f]{12}\/[0-9a-f]{32}\n/);
    const exec = await container.exec(['grep', 'cpu:', '/proc/self/cgroup'], { tty: false, stdin: false });
    assert.match(String(await exec.stdout.toArray()), /\/wherry-/);
    const usage = await container.usage();
    assert.ok(usage!.cpuNanos < 300_000_000, `${usage!.cpuNanos} ns in a second of time`);
    await container.stop(0);
    await container.remove();
    const own = mounts.byController.get('cpu')!;
    await fixture.reopen();
    const left = (await readdir(own)).filter((name) => name.startsWith('wherry-'));
    assert.deepEqual(left, []);
  });

  it(
    'who needs more memory than the limit is killed, and the end says why',
    { skip: cannotLimit('memory') },
    async (t) => {
      const fixture = await RuntimeFixture.create(t, openForTest);
      const resources = { limits: { memory: '20Mi' } };
      const main = await fixture.start({ script: 'exec dd if=/dev/zero of=/dev/null bs=300M count=1', resources });
      assert.deepEqual(main.warnings, []);
      const { code, reason } = await main.exited;
      assert.deepEqual([code, reason], [137, 'OOMKilled']);
      const child = await fixture.start({
        name: 'child',
        script: 'dd if=/dev/zero of=/dev/null bs=300M count=1; echo went on; exit 3',
        resources,
      });
      const exit = await child.exited;
      assert.deepEqual([exit.code, exit.reason], [3, 'OOMKilled']);
      assert.match(await logOf(child), /went on\n$/);
    },
  );

  it(
    'who stays within the limit runs, and the group tells how much that is',
    { skip: cannotLimit('memory') },
    async (t) => {
      const fixture = await RuntimeFixture.create(t, openForTest);
      const script = 'text=$(head -c 8000000 /dev/zero | tr "\\0" x); echo ready; sleep 1000';
      const container = await fixture.start({ script, resources: { limits: { memory: '100Mi' } } });
      await lineOf(container, 'ready');
      const { memoryBytes = 0 } = (await container.usage()) ?? {};
      assert.ok(memoryBytes > 8_000_000 && memoryBytes < 100 * 1024 * 1024, String(memoryBytes));
      // The next agent finds the group again.
      await fixture.reopen();
      const found = await fixture.only();
      const again = (await found.usage())?.memoryBytes ?? 0;
      assert.ok(again > 8_000_000 && again < 100 * 1024 * 1024, String(again));
      await found.stop(0);
    },
  );

  it('what cannot be enforced is told', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: ':', securityContext: { readOnlyRootFilesystem: true } });
    assert.match(container.warnings.join(), /readOnlyRootFilesystem is not enforced/);
    await container.exited;
  });
});
