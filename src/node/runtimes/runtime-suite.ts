import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { once } from 'node:events';
import { RuntimeError } from '../runtime.ts';
import { podSuite } from './pod-suite.ts';
import { portSuite } from './port-suite.ts';
import { lineOf, logOf, outcomeOf, RuntimeFixture, type OpenRuntime } from './testing/runtime-fixture.ts';

const idle = 'exec sleep 1000';

/** What every runtime promises. Containers use the images `busybox`, which has a shell and the usual tools, and `node`. */
export function runtimeSuite(name: string, open: OpenRuntime): void {
  describe(`${name}: lives of containers`, () => livesSuite(open));
  describe(`${name}: stopping`, () => stopSuite(open));
  describe(`${name}: restarts of the agent`, () => restartSuite(open));
  describe(`${name}: logs`, () => logSuite(open));
  describe(`${name}: mounts`, () => mountSuite(open));
  describe(`${name}: commands beside a container`, () => execSuite(open));
  describe(`${name}: attaching`, () => attachSuite(open));
  describe(`${name}: pods`, () => podSuite(open));
  describe(`${name}: ports`, () => portSuite(open));
}

function livesSuite(open: OpenRuntime): void {
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

function stopSuite(open: OpenRuntime): void {
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

function restartSuite(open: OpenRuntime): void {
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

  it('one that ends while there is no agent is found with its exit code and all of its log', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const signalFile = join(fixture.directory, 'signal');
    const doneFile = join(fixture.directory, 'done');
    await fixture.start({
      script: `until [ -e '${signalFile}' ]; do sleep 0.01; done; seq 1 1000; touch '${doneFile}'; exit 9`,
    });
    await fixture.reopen(async () => {
      await writeFile(signalFile, '');
      await until(() => readFile(doneFile));
    });
    const container = await fixture.only();
    assert.equal((await container.exited).code, 9);
    assert.equal(await logOf(container), numbers(1000));
  });

  it('one that writes more than fits while there is no agent waits, and nothing is lost', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const signalFile = join(fixture.directory, 'signal');
    await fixture.start({ script: `until [ -e '${signalFile}' ]; do sleep 0.01; done; seq 1 200000` });
    await fixture.reopen(() => writeFile(signalFile, ''));
    const container = await fixture.only();
    assert.equal((await container.exited).code, 0);
    assert.equal(await logOf(container), numbers(200_000));
  });

  it('a log that is written all the time has every line once after several restarts', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'seq 1 300000' });
    await lineOf(container, '2000');
    for (let i = 0; i < 3; i++) await fixture.reopen();
    const last = await fixture.only();
    await last.exited;
    assert.equal(await logOf(last), numbers(300_000));
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

function logSuite(open: OpenRuntime): void {
  it('the tail, the beginning and a number of bytes can be asked for', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'seq 1 50000; printf unfinished' });
    await container.exited;
    assert.equal(await logOf(container, { tailLines: 3 }), '49999\n50000\nunfinished');
    assert.equal(await logOf(container, { tailLines: 20_000 }), `${numbers(50_000, 30_002)}unfinished`);
    assert.equal(await logOf(container, { tailLines: 0 }), '');
    assert.equal(await logOf(container, { tailLines: 1_000_000 }), `${numbers(50_000)}unfinished`);
    assert.equal(await logOf(container, { limitBytes: 5 }), '1\n2\n3');
    assert.equal(await logOf(container, { limitBytes: 8, tailLines: 3 }), '49999\n50');
    assert.equal(await logOf(container, { limitBytes: 0 }), '');
  });

  it('lines carry the moment in which they were written and can be chosen by it', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ stdin: true, script: 'echo early; read line; echo late' });
    const early = stampOf(await firstLine(container, { follow: true, timestamps: true }));
    const attached = await container.attach();
    await untilLater(early);
    attached.stdin!.write('go\n');
    await container.exited;
    const [, second = ''] = (await logOf(container, { timestamps: true })).trimEnd().split('\n');
    const late = stampOf(second);
    assert.ok(late > early);
    assert.equal(await logOf(container, { since: early }), 'early\nlate\n');
    assert.equal(await logOf(container, { since: early + 1 }), 'late\n');
    assert.equal(await logOf(container, { since: late + 1 }), '');
  });

  it('a reader that follows sees lines as they come and ends with the container', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ stdin: true, script: 'echo one; read line; echo "two $line" >&2; exit 1' });
    const log = await container.logs({ follow: true, timestamps: false });
    const chunks: string[] = [];
    for await (const chunk of log) {
      chunks.push(String(chunk));
      if (chunks.join('') === 'one\n') (await container.attach()).stdin!.write('and more\n');
    }
    assert.equal(chunks.join(''), 'one\ntwo and more\n');
  });

  it('a reader that follows ends with the agent', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: `echo first; ${idle}` });
    const log = await container.logs({ follow: true, timestamps: false });
    const read = log.toArray();
    await lineOf(container, 'first');
    await fixture.reopen();
    assert.equal(String(await read), 'first\n');
  });

  it('a reader that follows can leave at any time', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const log = await container.logs({ follow: true, timestamps: false, tailLines: 10 });
    log.resume();
    log.destroy();
    await once(log, 'close');
  });

  it('bytes that are no text and lines without end come out as they went in', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({
      script: `head -c 100000 /dev/zero | tr '\\0' x; printf '\\377\\000\\n\\nend'`,
    });
    await container.exited;
    const log = await container.logs({ follow: false, timestamps: false });
    const bytes = Buffer.concat((await log.toArray()) as Buffer[]);
    assert.ok(bytes.equals(Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.from([255, 0, 10, 10]), Buffer.from('end')]))); // prettier-ignore
  });
}

function mountSuite(open: OpenRuntime): void {
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

function execSuite(open: OpenRuntime): void {
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

function attachSuite(open: OpenRuntime): void {
  it('all who are attached see what the container writes, and can write to it', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const script = 'while read line; do echo "out $line"; echo "err $line" >&2; [ "$line" = end ] && exit; done';
    const container = await fixture.start({ script, stdin: true });
    const [first, second] = [await container.attach(), await container.attach()];
    const seen = Promise.all(
      [first, second].flatMap(({ stdout, stderr }) => [stdout, stderr!].map((s) => s.toArray())),
    );
    first.stdin!.write('one\n');
    await lineOf(container, 'err one');
    // The input of a container stays open when one who wrote to it leaves.
    first.stdin!.end();
    second.stdin!.write('end\n');
    await container.exited;
    const [out, err, outAgain, errAgain] = (await seen).map((chunks) => Buffer.concat(chunks as Buffer[]).toString());
    assert.deepEqual([out, outAgain], ['out one\nout end\n', 'out one\nout end\n']);
    assert.deepEqual([err, errAgain], ['err one\nerr end\n', 'err one\nerr end\n']);
  });

  it('with stdinOnce the input ends when the first who is attached leaves', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ command: ['cat'], stdin: true, stdinOnce: true });
    const attached = await container.attach();
    attached.stdin!.end('last words\n');
    assert.equal((await container.exited).code, 0);
    assert.equal(await logOf(container), 'last words\n');
  });

  it('a container without stdin has an input that is empty', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ command: ['cat'] });
    assert.equal((await container.exited).code, 0);
    assert.deepEqual(await logOf(container), '');
  });

  it('a container with a terminal has one, also for an agent that was started later', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const script = `trap 'stty size' WINCH; tty; until [ "$line" ]; do read line; done; echo "line: $line"; exit 2`;
    await fixture.start({ command: ['/bin/sh', '-c', script], stdin: true, tty: true });
    await fixture.reopen();
    const container = await fixture.only();
    await lineOf(container, /^\/dev\/.*\d+\r$/);
    const attached = await container.attach();
    assert.equal(attached.stderr, undefined);
    attached.resize({ width: 99, height: 33 });
    await lineOf(container, '33 99\r');
    attached.stdin!.write('end\n');
    assert.equal((await container.exited).code, 2);
    assert.match(await logOf(container), /end\r\n[^]*line: end\r\n$/);
  });

  it('one who has detached holds nobody up', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'read line; seq 1 1000000', stdin: true });
    const attached = await container.attach();
    attached.stdin!.write('go\n');
    await once(attached.stdout, 'readable');
    attached.detach();
    assert.equal((await container.exited).code, 0);
  });
}

function numbers(to: number, from = 1): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');
}

/** The moment at the beginning of a line, in milliseconds. */
function stampOf(line: string): number {
  const stamp = line.split(' ', 1)[0] ?? '';
  assert.match(stamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
  return Date.parse(stamp);
}

async function firstLine(...[container, options]: Parameters<typeof logOf>): Promise<string> {
  const log = await container.logs({ follow: false, timestamps: false, ...options });
  for await (const chunk of log) return String(chunk);
  return '';
}

/** Tries again in the next turn of the event loop until it succeeds. */
async function until(attempt: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
}

/** Lets the clock of the machine go on. */
async function untilLater(moment: number): Promise<void> {
  await until(async () => assert.ok(Date.now() > moment + 1));
}
