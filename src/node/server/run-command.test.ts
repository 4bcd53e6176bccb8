import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Status } from '../../kinds/meta/status.ts';
import { connectionTo, openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { dialNode, dialNodeSocket, type NodeConnection } from '../testing/node-connection.ts';
import { until } from '../testing/until.ts';

let fixture: AgentFixture;
let connection: NodeConnection;
beforeEach(async () => {
  fixture = await openAgent();
  connection = connectionTo(fixture);
});
afterEach(() => fixture.close());

describe('a command in a container', () => {
  const path = (...command: string[]): string =>
    `/exec/one/web/main?input=1&output=1&error=1${command.map((word) => `&command=${encodeURIComponent(word)}`).join('')}`;

  /** Gives its input back in capitals, its arguments on the other output, and ends with the number of these. */
  beforeEach(async () => {
    fixture.machine.runCommand = async (command, { stdin, stdout, stderr }) => {
      stdout.write((await textOf(stdin)).toUpperCase());
      stderr.write(command.join(' '));
      return command.length;
    };
    await fixture.createPod('web');
  });

  it('runs over SPDY, with its streams and its exit code', async () => {
    const { session } = await dialNode(connection, path('a', 'b c'), 'v4.channel.k8s.io');
    const error = await session.openStream({ streamType: 'error' });
    const stdin = await session.openStream({ streamType: 'stdin' });
    const [stdout, stderr] = [await session.openStream({ streamType: 'stdout' }), await session.openStream({ streamType: 'stderr' })]; // prettier-ignore
    stdin.end('hello');
    const texts = await Promise.all([stdout, stderr, error].map(textOf));
    assert.deepEqual(texts.slice(0, 2), ['HELLO', 'a b c']);
    assert.deepEqual((JSON.parse(texts[2]!) as Status).details?.causes, [{ reason: 'ExitCode', message: '2' }]);
    session.close();
  });

  it('runs over WebSocket', async () => {
    const socket = dialNodeSocket(connection, path('a'), 'v5.channel.k8s.io');
    const channels = new Map<number, string>();
    socket.on('message', (data: Buffer) => channels.set(data[0]!, (channels.get(data[0]!) ?? '') + data.toString('utf8', 1))); // prettier-ignore
    await once(socket, 'open');
    socket.send(Buffer.from('\0hello'));
    socket.send(Buffer.from([255, 0]));
    await once(socket, 'close');
    assert.equal(channels.get(1), 'HELLO');
    assert.equal(channels.get(2), 'a');
    assert.match(channels.get(3) ?? '', /"ExitCode".*"1"/);
  });

  it('is killed when its client leaves', async () => {
    let wasKilled = false;
    fixture.machine.runCommand = async (_command, { killed }) => {
      await once(killed, 'abort');
      wasKilled = true;
      return 137;
    };
    const { session, socket } = await dialNode(connection, path('a'), 'v4.channel.k8s.io');
    for (const streamType of ['error', 'stdin', 'stdout', 'stderr']) await session.openStream({ streamType });
    await until(() => fixture.machine.find('main').commands === 1);
    socket.destroy();
    await until(() => wasKilled);
    await until(() => fixture.machine.find('main').commands === 0);
  });

  for (const [protocol, dial] of [
    ['SPDY', stallSpdy],
    ['WebSocket', stallSocket],
  ] as const) {
    it(`that takes no input is killed when its ${protocol} client leaves all the same`, async () => {
      fixture.machine.runCommand = async (_command, { killed }) => {
        await once(killed, 'abort');
        return 137;
      };
      const leave = await dial(path('a'));
      await until(() => fixture.machine.find('main').commands === 1);
      leave();
      // What tells is that a ping is refused; the next one then cannot be sent.
      while (fixture.machine.find('main').commands > 0) {
        fixture.clock.step(30_000);
        await turn();
      }
    });
  }

  it('that prints without end to a client that does not read is held back', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let printed = 0;
    fixture.machine.runCommand = async (_command, { stdout, killed }) => {
      while (!killed.aborted) {
        printed += chunk.length;
        if (stdout.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
        else await Promise.race([once(stdout, 'drain'), once(killed, 'abort')]);
      }
      return 137;
    };
    const { session, socket } = await dialNode(connection, path('yes'), 'v4.channel.k8s.io');
    await session.openStream({ streamType: 'error' });
    await session.openStream({ streamType: 'stdin' });
    const stdout = await session.openStream({ streamType: 'stdout' });
    await session.openStream({ streamType: 'stderr' });
    await until(() => stdout.readableLength >= stdout.readableHighWaterMark);
    const stalled = await stalledAt(() => printed);
    assert.ok(stalled < 32 * 1024 * 1024, `${stalled} bytes were taken from the command`);
    socket.destroy();
    await until(() => fixture.machine.find('main').commands === 0);
  });

  it('is refused where nothing runs or nothing is asked for', async () => {
    const refused = (path: string, code: number): Promise<void> =>
      assert.rejects(dialNode(connection, path, 'v4.channel.k8s.io'), new RegExp(`answered with ${code}`));
    await refused('/exec/one/web/main?stdout=1', 400);
    await refused('/exec/one/web/main?command=a', 400);
    await refused('/exec/one/web/other?command=a&stdout=1', 400);
    await refused('/exec/one/none/main?command=a&stdout=1', 404);
    await refused('/exec/one/web/wrong-uid/main?command=a&stdout=1', 404);
    await refused('/attach/one/web/main?stdin=1&stdout=1', 400);
    await refused('/healthz', 404);
  });
});

describe('a client that attaches', () => {
  it('sees what the container prints from then on, until it ends', async () => {
    await fixture.createPod('web', { restartPolicy: 'Never' }, { stdin: true });
    const main = fixture.machine.find('main');
    const { session } = await dialNode(connection, '/attach/one/web/main?stdin=1&stdout=1', 'v4.channel.k8s.io');
    const error = await session.openStream({ streamType: 'error' });
    const stdin = await session.openStream({ streamType: 'stdin' });
    const stdout = await session.openStream({ streamType: 'stdout' });
    stdin.write('typed');
    const [typed] = (await once(main.stdin, 'data')) as [Buffer];
    assert.equal(typed.toString(), 'typed');
    stdin.end();
    main.print('hello');
    const text = textOf(stdout);
    main.end(0);
    assert.equal(await text, 'hello\n');
    assert.equal((JSON.parse(await textOf(error)) as Status).status, 'Success');
    assert.equal(main.stdin.writableEnded, false, 'the next client can type, too');
    session.close();
  });
});

/** Sends more input than anybody takes; gives what lets the client leave. */
async function stallSpdy(path: string): Promise<() => void> {
  const { session, socket } = await dialNode(connection, path, 'v4.channel.k8s.io');
  await session.openStream({ streamType: 'error' });
  const stdin = await session.openStream({ streamType: 'stdin' });
  for (const streamType of ['stdout', 'stderr']) await session.openStream({ streamType });
  stdin.on('error', () => undefined);
  stdin.write(Buffer.alloc(16 * 1024 * 1024));
  await stalledAt(() => socket.bytesWritten);
  return () => socket.destroy();
}

async function stallSocket(path: string): Promise<() => void> {
  const socket = dialNodeSocket(connection, path, 'v5.channel.k8s.io');
  socket.on('error', () => undefined);
  await once(socket, 'open');
  for (let i = 0; i < 256; i++) socket.send(Buffer.alloc(64 * 1024));
  await stalledAt(() => socket.bufferedAmount);
  return () => socket.terminate();
}

/** A number that does not grow any more for many turns. */
async function stalledAt(read: () => number): Promise<number> {
  let [last, quiet] = [read(), 0];
  while (quiet < 2000) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = read();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
  return last;
}
