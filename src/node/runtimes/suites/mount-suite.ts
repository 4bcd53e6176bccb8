import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { RuntimeError } from '../../runtime.ts';
import { idle, logOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** What containers see of the host. */
export function mountSuite(open: OpenRuntime): void {
  it('files and directories appear where the container wants them, wherever that is', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const volume = join(fixture.directory, 'a volume');
    await mkdir(volume);
    await writeFile(join(volume, 'file'), 'content\n');
    const file = join(volume, 'file');
    const container = await fixture.start(
      {
        script:
          'cat /new/path/file /etc/own.conf /usr/share/own/deep/file /new/path/inner/file; echo written >/new/path/back',
      },
      {
        mounts: [
          { hostPath: volume, containerPath: '/new/path/inner', readOnly: false },
          { hostPath: volume, containerPath: '/new/path', readOnly: false },
          { hostPath: file, containerPath: '/etc/own.conf', readOnly: false },
          { hostPath: volume, containerPath: '/usr/share/own/deep', readOnly: true },
        ],
      },
    );
    assert.equal((await container.exited).code, 0, await logOf(container));
    assert.equal(await logOf(container), 'content\n'.repeat(4));
    assert.equal(await readFile(join(volume, 'back'), 'utf8'), 'written\n');
  });

  it('a place may have a name of any characters', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const name = 'a\u00a0b\u2003c\td#é\\';
    const volume = join(fixture.directory, name);
    await mkdir(volume);
    await writeFile(join(volume, 'file'), 'content\n');
    const containerPath = `/own/${name}`;
    const container = await fixture.start(
      { command: ['cat', `${containerPath}/file`] },
      { mounts: [{ hostPath: volume, containerPath, readOnly: true }] },
    );
    assert.equal((await container.exited).code, 0, await logOf(container));
    assert.equal(await logOf(container), 'content\n');
  });

  it('what is mounted read-only cannot be written', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const volume = join(fixture.directory, 'volume');
    await mkdir(volume);
    const container = await fixture.start(
      { script: 'if touch /secret/new; then exit 0; else exit 42; fi' },
      { mounts: [{ hostPath: volume, containerPath: '/secret', readOnly: true }] },
    );
    assert.equal((await container.exited).code, 42);
  });

  it('a mount of something that is not there is refused with InvalidMount', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const mounts = [{ hostPath: join(fixture.directory, 'missing'), containerPath: '/data', readOnly: false }];
    await assert.rejects(
      fixture.start({ script: idle }, { mounts }),
      (error) => error instanceof RuntimeError && error.reason === 'InvalidMount' && /\/data/.test(error.message),
    );
    assert.deepEqual(await fixture.runtime.list(), []);
  });
}
