import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { it } from 'node:test';
import { idle, lineOf, logOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** Greets whoever connects to the pod's address, and says on which port. */
const greeter = `
  const server = require('node:net').createServer((socket) => socket.end('hello from ' + process.env.POD_IP));
  server.listen(0, process.env.POD_IP, () => console.log(server.address().port));
`;

/** What every runtime promises about pods and their addresses. Containers use the images `busybox` and `node`. */
export function podSuite(open: OpenRuntime): void {
  it('each pod has an address of its own that keeps through restarts', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const places = await Promise.all([fixture.runtime.preparePod(fixture.pod('a')), fixture.runtime.preparePod(fixture.pod('b'))]); // prettier-ignore
    assert.notEqual(places[0].ip, places[1].ip);
    assert.notEqual(places[0].directory, places[1].directory);
    await fixture.reopen();
    assert.deepEqual(await fixture.runtime.preparePod(fixture.pod('a')), places[0]);
    assert.deepEqual(await fixture.runtime.preparePod(fixture.pod('b')), places[1]);
  });

  it('the address of a pod works from the host and from other pods, also when the agent was started later', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    await fixture.start({ image: 'node', name: 'server', command: ['node', '-e', greeter] });
    await fixture.reopen();
    const port = Number(await lineOf(await fixture.only(), /^\d+$/));
    const { ip } = await fixture.runtime.preparePod(fixture.pod('web'));
    assert.equal(String(await createConnection(port, ip).toArray()), `hello from ${ip}`);
    const visit = `require('node:net').connect(${port}, '${ip}').pipe(process.stdout)`;
    const visitor = await fixture.start({ image: 'node', command: ['node', '-e', visit] }, {}, 'other');
    assert.equal((await visitor.exited).code, 0);
    assert.equal(await logOf(visitor), `hello from ${ip}`);
  });

  it('what pods were given that nobody knows any more is freed, unless they have containers', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const { directory } = await fixture.runtime.preparePod(fixture.pod('gone'));
    const known = await fixture.runtime.preparePod(fixture.pod('known'));
    const container = await fixture.start({ script: idle });
    await fixture.runtime.releaseOthers(new Set(['uid-of-known']));
    await assert.rejects(access(directory), { code: 'ENOENT' });
    await access(known.directory);
    assert.equal((await fixture.only()).exit, undefined);
    assert.equal(container.exit, undefined);
  });

  it('a container knows the address of its pod', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: 'echo $POD_IP; hostname' });
    await container.exited;
    const { ip } = await fixture.runtime.preparePod(fixture.pod('web'));
    assert.equal(await logOf(container), `${ip}\nweb\n`);
  });

  it('releasing a pod removes its directory and its containers', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const { directory } = await fixture.runtime.preparePod(fixture.pod('web'));
    const container = await fixture.start({ script: idle });
    await fixture.runtime.releasePod(container.pod);
    assert.deepEqual(await fixture.runtime.list(), []);
    await assert.rejects(readFile(directory), { code: 'ENOENT' });
  });
}
