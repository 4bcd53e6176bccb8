import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { totalmem } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Status } from '../../kinds/meta/status.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import {
  dialNode,
  dialNodeSocket,
  getFromNode,
  openFromNode,
  type NodeAnswer,
  type NodeConnection,
} from '../testing/node-connection.ts';
import { until } from '../testing/until.ts';
import type { UsageSummary } from './usage-summary.ts';

let fixture: AgentFixture;
let connection: NodeConnection;
beforeEach(async () => {
  fixture = await openAgent();
  connect();
});
afterEach(() => fixture.close());

/** The agent that runs now has a port of its own. */
function connect(): void {
  const { tls, apiServer } = fixture.certificates;
  connection = { port: fixture.run.port!, ca: tls.ca, pair: apiServer };
}

async function readUsage(): Promise<UsageSummary> {
  return JSON.parse((await get('/stats/summary')).body) as UsageSummary;
}

const get = (path: string, method?: string): Promise<NodeAnswer> => getFromNode(connection, path, method);

async function textOf(stream: Duplex | AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

describe('the endpoint of a node', () => {
  it('answers API servers only', async () => {
    assert.deepEqual(await get('/healthz'), { status: 200, body: 'ok' });
    const { stranger, impostor } = fixture.certificates;
    assert.equal((await getFromNode({ ...connection, pair: stranger }, '/healthz')).status, 403);
    await assert.rejects(getFromNode({ ...connection, pair: impostor }, '/healthz'));
    await assert.rejects(getFromNode({ ...connection, pair: undefined }, '/healthz'));
    const asStranger = dialNode({ ...connection, pair: stranger }, '/exec/one/web/main?command=x&stdout=1', 'v4.channel.k8s.io'); // prettier-ignore
    await assert.rejects(asStranger, /answered with 403/);
  });

  it('refuses what it does not have with a status', async () => {
    const refusals = [
      ['/nothing', 'GET', 404],
      ['/containerLogs/one/web/main', 'GET', 404],
      ['/containerLogs/one', 'GET', 404],
      ['/pods', 'POST', 405],
      ['/exec/one/web/main', 'POST', 400],
      ['/%zz', 'GET', 400],
    ] as const;
    for (const [path, method, code] of refusals) {
      const { status, body } = await get(path, method);
      assert.deepEqual([status, (JSON.parse(body) as Status).code], [code, code], path);
    }
  });

  it('lists its pods as they are', async () => {
    await fixture.createPod('web');
    const { kind, items } = JSON.parse((await get('/pods')).body) as { kind: string; items: Pod[] };
    assert.equal(kind, 'PodList');
    assert.deepEqual(items.map(({ metadata, status }) => [metadata.name, status.phase]), [['web', 'Running']]); // prettier-ignore
  });

  it('tells what pods use', async () => {
    await fixture.createPod('web');
    await fixture.pass(2);
    const { pods } = await readUsage();
    assert.deepEqual(
      pods.map(({ podRef }) => podRef.name),
      ['web'],
    );
    const [container] = pods[0]!.containers;
    assert.equal(container?.name, 'main');
    assert.equal(container.cpu.usageNanoCores, 250_000_000);
    assert.equal(container.cpu.windowSeconds, 2);
    assert.equal(container.cpu.usageCoreNanoSeconds, 500_000_000);
    assert.equal(container.memory.workingSetBytes, 64 * 1024 * 1024);
  });

  it('tells what a container that started anew uses, not what the one before did', async () => {
    await fixture.createPod('web');
    await fixture.pass(60);
    fixture.machine.find('main').end(1);
    await fixture.pass(15);
    const { pods } = await readUsage();
    assert.equal(pods[0]?.containers[0]?.cpu.usageNanoCores, 250_000_000);
  });

  it('says nothing of a rate until it has something to compare with', async () => {
    await fixture.createPod('web');
    await fixture.pass(60);
    await fixture.restart();
    connect();
    const [before] = (await readUsage()).pods;
    assert.equal(before?.containers[0]?.cpu.usageCoreNanoSeconds, 15_000_000_000);
    assert.equal(before?.containers[0]?.cpu.usageNanoCores, undefined);
    await fixture.pass(10);
    const [after] = (await readUsage()).pods;
    assert.equal(after?.containers[0]?.cpu.usageNanoCores, 250_000_000);
  });

  it('tells what the whole machine uses, pods and all else', async () => {
    await fixture.pass(3);
    const { node } = await readUsage();
    assert.equal(node.nodeName, 'n1');
    assert.ok(node.memory.workingSetBytes > 10_000_000 && node.memory.workingSetBytes <= totalmem());
    assert.ok(node.cpu.usageCoreNanoSeconds > 0 && node.cpu.usageNanoCores! >= 0);
  });
});

describe('the log of a container', () => {
  const path = '/containerLogs/one/web/main';

  it('is sent with all options', async () => {
    await fixture.createPod('web');
    const begun = fixture.clock.now();
    for (const text of ['one', 'two', 'three']) {
      fixture.machine.find('main').print(text);
      await fixture.pass(10);
    }
    const time = (seconds: number): string => new Date(begun + seconds * 1000).toISOString();
    const read = async (query: string): Promise<string> => (await get(`${path}?${query}`)).body;
    assert.equal(await read(''), 'one\ntwo\nthree\n');
    assert.equal(await read('tailLines=1'), 'three\n');
    assert.equal(await read('tailLines=0'), '');
    assert.equal(await read('limitBytes=5'), 'one\nt');
    assert.equal(await read('sinceSeconds=20'), 'two\nthree\n');
    assert.equal(await read(`sinceTime=${time(15)}`), 'three\n');
    assert.equal(await read('timestamps=true&tailLines=1'), `${time(20)} three\n`);
  });

  it('is refused when the options make no sense', async () => {
    await fixture.createPod('web');
    for (const query of [
      'tailLines=-1',
      'limitBytes=0',
      'sinceSeconds=x',
      'sinceTime=x',
      'sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z',
    ]) {
      assert.equal((await get(`${path}?${query}`)).status, 400, query);
    }
    assert.equal((await get('/containerLogs/one/web/other')).status, 400);
    assert.match((await get(`${path}?previous=true`)).body, /no previous run/);
  });

  it('is followed until the container ends', async () => {
    await fixture.createPod('web', { restartPolicy: 'Never' });
    fixture.machine.find('main').print('before');
    const answer = await openFromNode(connection, `${path}?follow=true`);
    const text = textOf(answer);
    fixture.machine.find('main').print('after');
    fixture.machine.find('main').end(0);
    assert.equal(await text, 'before\nafter\n');
  });

  it('is not read any more when the client leaves', async () => {
    await fixture.createPod('web');
    const { log } = fixture.machine.find('main');
    const answer = await openFromNode(connection, `${path}?follow=true`);
    await until(() => log.followers === 1);
    answer.destroy();
    await until(() => log.followers === 0);
  });

  it('of the run before can be had, and of a container that waits for its next run', async () => {
    fixture.machine.scripts.set('main', [{}, {}]);
    await fixture.createPod('web');
    fixture.machine.find('main').print('first');
    fixture.machine.find('main').end(1);
    await fixture.pass(1);
    fixture.machine.find('main').print('second');
    assert.equal((await get(path)).body, 'second\n');
    assert.equal((await get(`${path}?previous=1`)).body, 'first\n');
    fixture.machine.find('main').end(1);
    await fixture.pass(1);
    assert.equal((await fixture.containerOf('web')).state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal((await get(path)).body, 'second\n');
    assert.equal((await get(`${path}?previous=1`)).body, 'second\n');
  });

  it('of a container that has not started says so', async () => {
    fixture.machine.pulls.set('image:1', () => {
      throw new Error('no');
    });
    await fixture.createPod('web');
    const { status, body } = await get(path);
    assert.equal(status, 400);
    assert.match(body, /waiting to start: RunContainerError/);
  });
});

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

describe('ports of a pod', () => {
  let server: Server;
  let port: number;
  const served = new Set<Socket>();
  before(async () => {
    // Gives everything back and ends when the client does.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      served.add(socket);
      socket.once('close', () => served.delete(socket));
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  it('are reached over SPDY; a failure is told on its own stream', async () => {
    await fixture.createPod('web');
    const { session } = await dialNode(connection, '/portForward/one/web', 'portforward.k8s.io');
    const open = async (port: number, requestID: string) => {
      const error = await session.openStream({ streamType: 'error', port: String(port), requestID });
      const data = await session.openStream({ streamType: 'data', port: String(port), requestID });
      error.end();
      return { error: textOf(error), reply: textOf(data), data };
    };
    const [first, second] = [await open(port, '1'), await open(port, '2')];
    first.data.end('hello');
    second.data.end('world');
    assert.deepEqual(await Promise.all([first.reply, second.reply, first.error]), ['hello', 'world', '']);
    const nobody = await open(1, '3');
    assert.match(await nobody.error, /port 1 of the pod.*ECONNREFUSED/);
    session.close();
  });

  it('are reached over WebSocket', async () => {
    await fixture.createPod('web');
    const socket = dialNodeSocket(connection, `/portForward/one/web?port=${port}`, 'v4.channel.k8s.io');
    let text = '';
    socket.on('message', (data: Buffer) => {
      if (data[0] === 0) text += data.toString('latin1', 1);
      if (text.endsWith('hello')) socket.close();
    });
    await once(socket, 'open');
    socket.send(Buffer.from('\0hello'));
    await once(socket, 'close');
    assert.equal(text.slice(2), 'hello');
    await until(() => served.size === 0);
  });

  it('are closed when the client leaves in the middle', async () => {
    await fixture.createPod('web');
    const { session, socket } = await dialNode(connection, '/portForward/one/web', 'portforward.k8s.io');
    await session.openStream({ streamType: 'error', port: String(port), requestID: '1' });
    const data = await session.openStream({ streamType: 'data', port: String(port), requestID: '1' });
    data.write('hello');
    await once(data, 'data');
    assert.equal(served.size, 1);
    socket.destroy();
    await until(() => served.size === 0);
  });

  it('leave no descriptor behind, however many connections there were', async () => {
    await fixture.createPod('web');
    const { session } = await dialNode(connection, '/portForward/one/web', 'portforward.k8s.io');
    const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const use = async (requestID: string): Promise<void> => {
      const error = await session.openStream({ streamType: 'error', port: String(port), requestID });
      const data = await session.openStream({ streamType: 'data', port: String(port), requestID });
      error.end();
      data.end(requestID);
      assert.deepEqual(await Promise.all([textOf(data), textOf(error)]), [requestID, '']);
    };
    await use('first');
    await until(() => served.size === 0);
    const begun = await descriptors();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 25 }, (_, i) => use(`${round}-${i}`)));
    }
    await until(() => served.size === 0);
    await until(async () => (await descriptors()) <= begun);
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
