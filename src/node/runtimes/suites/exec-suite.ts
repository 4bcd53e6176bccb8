import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { idle, outcomeOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** Commands that run beside a container. */
export function execSuite(open: OpenRuntime): void {
  it('a command has the environment, the directory and the mounts of the container', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const volume = join(fixture.directory, 'volume');
    await mkdir(volume);
    await writeFile(join(volume, 'file'), 'content\n');
    const container = await fixture.start(
      { script: idle, workingDir: '/data' },
      { environment: { COLOR: 'blue' }, mounts: [{ hostPath: volume, containerPath: '/data', readOnly: false }] },
    );
    const exec = await container.exec(['/bin/sh', '-c', 'cat file; echo $COLOR >&2; exit 6'], {
      tty: false,
      stdin: false,
    });
    assert.deepEqual(await outcomeOf(exec), { code: 6, stdout: 'content\n', stderr: 'blue\n' });
  });

  it('a command reads its input to the end while its output is still wanted', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const exec = await container.exec(['sort', '-n'], { tty: false, stdin: true });
    exec.stdin!.end('3\n1\n2\n');
    assert.deepEqual(await outcomeOf(exec), { code: 0, stdout: '1\n2\n3\n', stderr: '' });
  });

  it('a command that is not there ends with 127, one that is killed with 128 and the signal', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const missing = await container.exec(['no-such-program'], { tty: false, stdin: false });
    assert.equal((await outcomeOf(missing)).code, 127);
    const killed = await container.exec(['sleep', '1000'], { tty: false, stdin: false });
    killed.kill();
    assert.equal(await killed.exitCode, 137);
  });

  it('a command with a terminal sees its size, and when that changes', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const script = `trap 'stty size' WINCH; echo ready; until [ "$line" ]; do read line; done; echo "line: $line"; exit 3`;
    const exec = await container.exec(['/bin/sh', '-c', script], { tty: true, stdin: true });
    let output = '';
    const told: string[] = [];
    exec.stdout.on('data', (chunk: Buffer) => {
      output += String(chunk);
      if (told.length === 0 && output.includes('ready')) {
        told.push('size');
        exec.resize({ width: 123, height: 45 });
      }
      if (told.length === 1 && output.includes('45 123')) {
        told.push('line');
        exec.stdin!.write('words\n');
      }
    });
    assert.equal(await exec.exitCode, 3);
    if (!exec.stdout.readableEnded) await once(exec.stdout, 'end');
    // Its size may be told in two steps, one for the width and one for the height.
    assert.match(output, /^ready\r\n[^]*45 123\r\n[^]*words\r\n[^]*line: words\r\n$/);
    assert.equal(exec.stderr, undefined);
  });

  it('a command whose output nobody reads waits and costs no memory', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const exec = await container.exec(['head', '-c', '1000000000', '/dev/zero'], { tty: false, stdin: false });
    await once(exec.stdout, 'readable');
    const before = process.memoryUsage().rss;
    // Others run meanwhile, each long enough for the first to write much if it could.
    for (let i = 0; i < 5; i++) {
      await outcomeOf(await container.exec(['head', '-c', '1000000', '/dev/zero'], { tty: false, stdin: false }));
    }
    assert.ok(process.memoryUsage().rss - before < 64_000_000);
    assert.ok(exec.stdout.readableLength < 1_000_000);
    exec.kill();
    assert.equal(await exec.exitCode, 137);
    exec.detach();
  });

  it('commands end with their container', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const exec = await container.exec(['sleep', '1000'], { tty: false, stdin: false });
    await container.stop(0);
    assert.equal(await exec.exitCode, 137);
    await assert.rejects(container.exec(['true'], { tty: false, stdin: false }), /not running/);
  });
}
