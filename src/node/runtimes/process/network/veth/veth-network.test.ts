import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../../../../base/clock.ts';
import { lineOf, logOf, outcomeOf, RuntimeFixture } from '../../../testing/runtime-fixture.ts';
import { containerFiles } from '../../container/container-record.ts';
import { findHostTools } from '../../host-tools.ts';
import { runAndKillAgent } from '../../testing/agent-process.ts';
import { openForTest } from '../../testing/open-for-test.ts';
import { whyNoOwnNetworks } from '../../testing/own-networks.ts';
import { networkRegistry } from '../network-registry.ts';
import { namespaceDirectory, networkNames } from './network-names.ts';
import { networkShell } from './network-shell.ts';
import { removeForsaken, removeNetwork } from './remove-network.ts';
import { silentLogger } from '../../../../../base/logger.ts';

const run = promisify(execFile);
const open = (directory: string): ReturnType<typeof openForTest> => openForTest(directory, { network: 'veth' });

/** What there is on the machine of the network of a node. */
async function leftovers(directory: string): Promise<string[]> {
  const { bridge, linkPrefix, namespacePrefix, routeMetric } = networkNames(directory);
  const { stdout: links } = await run('ip', ['-o', 'link', 'show']);
  const { stdout: routes } = await run('ip', ['-o', '-4', 'route', 'show', 'table', 'all']);
  const namespaces = await readdir(namespaceDirectory).catch(() => []);
  return [
    ...links.split('\n').filter((line) => line.includes(` ${bridge}:`) || line.includes(` ${linkPrefix}`)),
    ...routes.split('\n').filter((line) => line.includes(` metric ${routeMetric} `)),
    ...namespaces.filter((name) => name.startsWith(namespacePrefix)),
  ];
}

async function create(t: TestContext): Promise<RuntimeFixture> {
  const fixture = await RuntimeFixture.create(t, open);
  t.after(async () => assert.deepEqual(await leftovers(join(fixture.directory, 'runtime')), []));
  return fixture;
}

/** Says on which interfaces there are which addresses. */
const showAddresses = `for (const [name, list] of Object.entries(require('node:os').networkInterfaces()))
  for (const { address, family } of list) if (family === 'IPv4') console.log(name + ' ' + address);`;

describe('networks of pods', { skip: await whyNoOwnNetworks() }, () => {
  it('a pod has its own loopback interface and its address, and nothing of the machine', async (t) => {
    const fixture = await create(t);
    const container = await fixture.start({ image: 'node', command: ['node', '-e', showAddresses] });
    await container.exited;
    const { ip } = await fixture.runtime.preparePod(fixture.pod('web'));
    assert.equal(await logOf(container), `lo 127.0.0.1\neth0 ${ip}\n`);
  });

  it('containers of a pod reach each other at the loopback address, and commands beside them do, too', async (t) => {
    const fixture = await create(t);
    const serve = `require('node:net').createServer((s) => s.end('inside')).listen(4000, '127.0.0.1', () => console.log('on'))`;
    await lineOf(await fixture.start({ image: 'node', name: 'server', command: ['node', '-e', serve] }), 'on');
    const visit = `require('node:net').connect(4000, '127.0.0.1').pipe(process.stdout)`;
    const visitor = await fixture.start({ image: 'node', name: 'visitor', command: ['node', '-e', visit] });
    await visitor.exited;
    assert.equal(await logOf(visitor), 'inside');
    const beside = await fixture.start({ name: 'beside', script: 'exec sleep 1000' });
    const exec = await beside.exec([process.execPath, '-e', visit], { tty: false, stdin: false });
    assert.equal((await outcomeOf(exec)).stdout, 'inside');
  });

  it('all pods may listen on the same port of all addresses', async (t) => {
    const fixture = await create(t);
    const serve = `require('node:net').createServer((s) => s.end(process.env.HOSTNAME)).listen(80, () => console.log('on'))`;
    const server = { image: 'node', command: ['node', '-e', serve] };
    for (const name of ['a', 'b']) {
      await lineOf(await fixture.start(server, {}, name), 'on');
      const { ip } = await fixture.runtime.preparePod(fixture.pod(name));
      const connection = await fixture.runtime.connect(fixture.pod(name), 80, new AbortController().signal);
      assert.equal(String(await connection.toArray()), name);
      assert.match(ip, /^(198\.18|100|10)\./);
    }
  });

  it('a pod on the network of the host is on no other', async (t) => {
    const fixture = await create(t);
    const pod = fixture.pod('host');
    const place = await fixture.runtime.preparePod({ ...pod, spec: { ...pod.spec, hostNetwork: true } });
    assert.equal(place.hasOwnPorts, undefined);
    const { stdout } = await run('ip', ['-o', '-4', 'address', 'show']);
    assert.match(stdout, new RegExp(`inet ${place.ip.replaceAll('.', '\\.')}/22`));
  });

  it('pods of an agent that was killed keep their networks, and what is released goes', async (t) => {
    const fixture = await RuntimeFixture.create(t, async (directory) => {
      assert.equal(await runAndKillAgent([directory, '3', 'exec sleep 1000', '', 'veth']), 'ready\n');
      return open(directory);
    });
    const directory = join(fixture.directory, 'runtime');
    const containers = await fixture.runtime.list();
    assert.equal(containers.filter(({ exit }) => !exit).length, 3);
    const addresses = await Promise.all(
      containers.map(async (container) => {
        const exec = await container.exec([process.execPath, '-e', showAddresses], { tty: false, stdin: false });
        return (await outcomeOf(exec)).stdout;
      }),
    );
    assert.equal(new Set(addresses).size, 3);
    assert.ok(addresses.every((text) => /^lo 127\.0\.0\.1\neth0 [\d.]+\n$/.test(text)));
    for (const { pod } of containers.slice(1)) await fixture.runtime.releasePod(pod);
    assert.equal((await leftovers(directory)).filter((line) => line.startsWith('wherry-')).length, 1);
    await fixture.runtime.releasePod(containers[0]!.pod);
    await fixture.reopen(async () => assert.deepEqual(await leftovers(directory), []));
  });

  it('a bridge or a namespace that somebody removed is made anew', async (t) => {
    const fixture = await create(t);
    const directory = join(fixture.directory, 'runtime');
    const names = networkNames(directory);
    await fixture.runtime.preparePod(fixture.pod('a'));
    await fixture.runtime.preparePod(fixture.pod('b'));
    await fixture.reopen(async () => {
      const [first = ''] = (await leftovers(directory)).filter((line) => line.startsWith('wherry-'));
      await run('ip', ['netns', 'delete', first]);
      await run('ip', ['link', 'delete', 'dev', names.bridge]);
    });
    const visit = (ip: string): string =>
      `require('node:net').connect(9, '${ip}').on('error', ({ code }) => console.log(code))`;
    const { ip } = await fixture.runtime.preparePod(fixture.pod('a'));
    const visitor = await fixture.start({ image: 'node', command: ['node', '-e', visit(ip)] }, {}, 'b');
    await visitor.exited;
    assert.equal(await logOf(visitor), 'ECONNREFUSED\n');
  });

  it('when the make of the network changes, what ran is ended and nothing of the old network stays', async (t) => {
    let network: 'veth' | 'loopback' = 'veth';
    const fixture = await RuntimeFixture.create(t, (directory) => openForTest(directory, { network }));
    const directory = join(fixture.directory, 'runtime');
    await fixture.start({ script: 'exec sleep 1000' });
    await fixture.reopen(async () => void (network = 'loopback'));
    assert.equal((await fixture.only()).exit?.code, 137);
    assert.deepEqual(await leftovers(directory), []);
    assert.match((await fixture.runtime.preparePod(fixture.pod('web'))).ip, /^127\./);
    await (await fixture.only()).remove();
    await fixture.start({ script: 'exec sleep 1000' });
    await fixture.reopen(async () => void (network = 'veth'));
    assert.equal((await fixture.only()).exit?.code, 137);
    assert.doesNotMatch((await fixture.runtime.preparePod(fixture.pod('web'))).ip, /^127\./);
  });

  it('several nodes of one machine have networks of their own', async (t) => {
    const fixtures = await Promise.all([create(t), create(t), create(t)]);
    const places = await Promise.all(fixtures.map((fixture) => fixture.runtime.preparePod(fixture.pod('web'))));
    assert.equal(new Set(places.map(({ ip }) => ip.split('.').slice(0, 2).join('.') + (Number(ip.split('.')[2]) >> 2))).size, 3); // prettier-ignore
  });

  it('the network of a node whose directory is gone is removed by the next one', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const forsaken = join(fixture.directory, 'forsaken');
    t.after(() => removeNetwork(networkShell(findHostTools(), systemClock), networkNames(forsaken)));
    await runAndKillAgent([forsaken, '1', 'exec sleep 0', '', 'veth']);
    assert.equal((await leftovers(forsaken)).length, 3);
    // Nobody else would end it once its directory is gone.
    for (const id of await readdir(join(forsaken, 'containers'))) {
      process.kill(parseInt(await readFile(join(forsaken, 'containers', id, containerFiles.supervisor), 'utf8'), 10), 'SIGKILL'); // prettier-ignore
    }
    await rm(forsaken, { recursive: true });
    await rm(`${forsaken}.addresses`, { recursive: true, force: true });
    await removeForsaken(networkShell(findHostTools(), systemClock), networkRegistry(), silentLogger);
    assert.deepEqual(await leftovers(forsaken), []);
  });
});
