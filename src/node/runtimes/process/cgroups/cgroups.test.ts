import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { lineOf, logOf, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { openForTest } from '../testing/open-for-test.ts';
import { findCgroupMounts, parseCgroupMounts } from './cgroup-mounts.ts';

const mounts = await findCgroupMounts();

/** Why no limits can be tried out here: we make groups only where nobody else manages those that we are in. */
function cannotLimit(resource: 'cpu' | 'memory'): string | undefined {
  const own = mounts.byController.get(resource);
  if (own === undefined) return `there is no control group for ${resource} alone on this machine`;
  if (!own.endsWith(`/${resource}/`) && !own.endsWith(`/${resource}`)) return `this process is in a group of ${resource} that others manage`; // prettier-ignore
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
    'a container that needs more memory than its limit is killed for it',
    { skip: cannotLimit('memory') },
    async (t) => {
      const fixture = await RuntimeFixture.create(t, openForTest);
      const container = await fixture.start({ script: 'head -c 500000000 /dev/zero | tail', resources: { limits: { memory: '20Mi' } } }); // prettier-ignore
      const { reason } = await container.exited;
      assert.equal(reason, 'OOMKilled');
    },
  );

  it('what cannot be enforced is told', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: ':', securityContext: { readOnlyRootFilesystem: true } });
    assert.match(container.warnings.join(), /readOnlyRootFilesystem is not enforced/);
    await container.exited;
  });
});
