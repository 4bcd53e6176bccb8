import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { idle, lineOf, logOf, numberLines, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';
import { untilItWorks } from '../testing/until-it-works.ts';

/** What is kept of what containers write. */
export function logSuite(open: OpenRuntime): void {
  it('the tail, the beginning and a number of bytes can be asked for', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'seq 1 50000; printf unfinished' });
    await container.exited;
    assert.equal(await logOf(container, { tailLines: 3 }), '49999\n50000\nunfinished');
    assert.equal(await logOf(container, { tailLines: 20_000 }), `${numberLines(50_000, 30_002)}unfinished`);
    assert.equal(await logOf(container, { tailLines: 0 }), '');
    assert.equal(await logOf(container, { tailLines: 1_000_000 }), `${numberLines(50_000)}unfinished`);
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

  it('a reader that is behind comes to an end when the container is removed', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: `echo first; ${idle}` });
    await lineOf(container, 'first');
    const log = await container.logs({ follow: true, timestamps: false });
    await container.stop(0);
    await container.remove();
    assert.deepEqual(await log.toArray(), []);
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

/** Lets the clock of the machine go on. */
async function untilLater(moment: number): Promise<void> {
  await untilItWorks(async () => assert.ok(Date.now() > moment + 1));
}
