import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { lineOf, logOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** Those who join a container's own streams. */
export function attachSuite(open: OpenRuntime): void {
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
