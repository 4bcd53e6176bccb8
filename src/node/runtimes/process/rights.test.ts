import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RuntimeError } from '../../runtime.ts';
import { logOf, RuntimeFixture } from '../testing/runtime-fixture.ts';
import { runAndKillAgent } from './testing/agent-process.ts';
import { openForTest } from './testing/open-for-test.ts';

const isRoot = process.getuid?.() === 0;
const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];

/** Why the files of the tests cannot be run by a user without rights; nothing when they can. */
function cannotBeNobody(file: string): string | undefined {
  if (!isRoot) return 'only root can become another user';
  const [program, ...args] = [...nobody, 'test', '-r', file];
  return spawnSync(program, args).status === 0 ? undefined : 'other users may not read the files of this project here';
}

describe('the rights of containers', () => {
  it(
    'a container runs as the user and with the groups of its plan',
    { skip: !isRoot && 'only root can change users' },
    async (t) => {
      const fixture = await RuntimeFixture.create(t, openForTest);
      const container = await fixture.start({ script: 'id -u; id -G; echo fine >/dev/termination-log' }, { user: 12345, groups: [77, 88] }); // prettier-ignore
      assert.equal((await container.exited).message, 'fine\n');
      assert.equal(await logOf(container), '12345\n0 77 88\n');
      const alone = await fixture.start({ name: 'alone', script: 'id -u; id -G' }, { user: 12345 });
      await alone.exited;
      assert.equal(await logOf(alone), '12345\n0\n');
    },
  );

  it(
    'a container that must not be root does not run as root',
    { skip: !isRoot && 'this user is not root' },
    async (t) => {
      const fixture = await RuntimeFixture.create(t, openForTest);
      for (const plan of [{}, { user: 0 }]) {
        await assert.rejects(
          fixture.start({ script: ':' }, { ...plan, mustNotBeRoot: true }),
          (error) => error instanceof RuntimeError && error.reason === 'VerifyNonRootError',
        );
      }
      const container = await fixture.start({ script: 'id -u' }, { user: 12345, mustNotBeRoot: true });
      await container.exited;
      assert.equal(await logOf(container), '12345\n');
    },
  );

  it('a container that must not be root runs as a user who is not', { skip: isRoot && 'root is' }, async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const container = await fixture.start({ script: ':' }, { mustNotBeRoot: true });
    assert.equal((await container.exited).code, 0);
  });

  it('an agent without rights refuses to change users', { skip: isRoot && 'root may' }, async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    await assert.rejects(
      fixture.start({ script: ':' }, { user: 12345 }),
      (error) => error instanceof RuntimeError && error.reason === 'CreateContainerError' && /root/.test(error.message),
    );
  });

  const suite = fileURLToPath(new URL('./process-runtime.test.js', import.meta.url));
  const own = fileURLToPath(import.meta.url);
  it('everything works without root', { skip: cannotBeNobody(suite) }, () => {
    const [program, ...args] = [...nobody, process.execPath, '--test', '--test-reporter', 'spec', suite, own];
    // Within a test of its own, a test runner would report to this one rather than say what fails.
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', env: { ...environment, HOME: '/' } });
    assert.equal(status, 0, stdout);
  });

  it('where the kernel gives no mounts, a container with mounts is refused with what it says, others run', async (t) => {
    const denied = 'echo 0 >/proc/sys/user/max_mnt_namespaces && exec "$@"';
    const before = ['unshare', '--user', '--map-root-user', 'sh', '-c', denied, 'sh'];
    const lines: string[] = [];
    await RuntimeFixture.create(t, async (directory) => {
      lines.push(await runAndKillAgent([directory, '1'], before));
      lines.push(await runAndKillAgent([directory, '1', 'sleep 1000', directory], before));
      return openForTest(directory);
    });
    assert.equal(lines[0], 'ready\n');
    assert.match(lines[1]!, /^InvalidMount: \/data cannot be mounted: .*unshare/);
  });
});
