import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import type { Pod } from '../../../kinds/core/pod.ts';
import { idle, lineOf, RuntimeFixture, type OpenRuntime } from '../testing/runtime-fixture.ts';

/** Answers every connection with a word, once it has been told something; says on which port. `$1` is the address, `$2` the port. */
const program = (word: string): string => `
  const server = require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', () => {}).on('end', () => socket.end(${JSON.stringify(word)}));
  });
  server.listen(Number(process.argv[2] ?? 0), process.argv[1].replace('POD', process.env.POD_IP), () => {
    console.log('port ' + server.address().port);
  });
`;

/** Why what needs an address cannot be tried here; false when it can. */
function missing(address: string): string | false {
  const isThere = !address.includes(':') || networkInterfaces()['lo']?.some((each) => each.address === '::1');
  return isThere ? false : 'this machine has no IPv6';
}

/** What every runtime promises about the ports of pods. Containers use the image `node`. */
export function portSuite(open: OpenRuntime): void {
  for (const address of ['POD', '0.0.0.0', '127.0.0.1', '::', '::1']) {
    it(`a program that listens on ${address} is reached through its pod`, { skip: missing(address) }, async (t) => {
      const fixture = await RuntimeFixture.create(t, open);
      const port = await listen(fixture, address);
      assert.equal(await ask(fixture, port), 'from the pod');
      // What was found out about it is not found out anew.
      assert.equal(await ask(fixture, port), 'from the pod');
    });
  }

  it('a listener is also the pod’s in the hands of a child that left its session and forgot its environment', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const script = `
      const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
        const serve = "process.on('message', (port, server) => {" +
          "server.on('connection', (s) => s.end('from the child')); console.log('port ' + port); })";
        const options = { detached: true, env: {}, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] };
        const child = require('node:child_process').spawn(process.execPath, ['-e', serve], options);
        child.send(server.address().port, server, () => server.close());
      });
    `;
    const container = await fixture.start({ image: 'node', command: ['node', '-e', script] });
    assert.equal(await ask(fixture, await portOf(container)), 'from the child');
  });

  it('a listener that a command beside the container opens is the pod’s', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const container = await fixture.start({ script: idle });
    const exec = await container.exec([process.execPath, '-e', program('from the command'), '127.0.0.1'], { tty: false, stdin: false }); // prettier-ignore
    const [line] = (await once(exec.stdout, 'data')) as [Buffer];
    assert.equal(await ask(fixture, Number(/^port (\d+)/.exec(String(line))?.[1])), 'from the command');
  });

  for (const address of ['127.0.0.1', '0.0.0.0', '::1', '::']) {
    it(
      `a program of the machine that listens on ${address} is not reached through a pod`,
      { skip: missing(address) },
      async (t) => {
        const fixture = await RuntimeFixture.create(t, open);
        await fixture.start({ script: idle });
        const port = await listenHere(t, address);
        await assert.rejects(ask(fixture, port), /no program of this pod listens on port \d+/);
      },
    );
  }

  it('a program of another pod is not reached through a pod', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const port = await listen(fixture, '0.0.0.0');
    await fixture.runtime.preparePod(fixture.pod('other'));
    await assert.rejects(ask(fixture, port, fixture.pod('other')), /no program of this pod listens/);
  });

  it('a port that nobody listens on is refused, and so is one that nobody listens on any more', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const port = await listen(fixture, 'POD');
    assert.equal(await ask(fixture, port), 'from the pod');
    await (await fixture.only()).stop(0);
    await assert.rejects(ask(fixture, port), /no program of this pod listens/);
  });

  it('a pod on the network of the host has the ports of the host', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const port = await listenHere(t, '127.0.0.1');
    const pod = fixture.pod('host');
    const onHost: Pod = { ...pod, spec: { ...pod.spec, hostNetwork: true } };
    assert.equal(await ask(fixture, port, onHost), 'from the host');
  });

  it('a connection that is given up is not made', async (t) => {
    const fixture = await RuntimeFixture.create(t, open);
    const port = await listen(fixture, 'POD');
    await assert.rejects(fixture.runtime.connect(fixture.pod('web'), port, AbortSignal.abort()));
  });
}

async function listen(fixture: RuntimeFixture, address: string): Promise<number> {
  return portOf(await fixture.start({ image: 'node', command: ['node', '-e', program('from the pod'), address] }));
}

async function portOf(container: Parameters<typeof lineOf>[0]): Promise<number> {
  return Number((await lineOf(container, /^port \d+$/)).split(' ')[1]);
}

/** A service of the machine, in this process. */
async function listenHere(t: TestContext, address: string): Promise<number> {
  const server = createServer((socket) => socket.end('from the host')).listen(0, address);
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What a port of a pod answers when the question is over. */
async function ask(fixture: RuntimeFixture, port: number, pod = fixture.pod('web')): Promise<string> {
  const connection = await fixture.runtime.connect(pod, port, new AbortController().signal);
  connection.end('a question');
  return text(connection);
}
