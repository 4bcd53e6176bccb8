import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { configMap as configMapKind } from '../../kinds/core/config-map.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import type { Status } from '../../kinds/meta/status.ts';
import { dialNode, getFromNode, openFromNode } from '../testing/node-connection.ts';
import { ProcessNodeFixture } from '../testing/process-node-fixture.ts';
import { until } from '../testing/until.ts';

const name = { namespace: 'one', name: 'web' };
const shell = (script: string): { name: string; image: string; command: string[] } => ({
  name: 'main',
  image: 'busybox',
  command: ['sh', '-c', script],
});
const ready = (pod: Pod | undefined): boolean => pod !== undefined && isReady(pod);
const gone = (pod: Pod | undefined): boolean => pod === undefined;

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

interface Executed {
  readonly out: string;
  readonly code: string | undefined;
}

async function exec(fixture: ProcessNodeFixture, ...command: string[]): Promise<Executed> {
  const words = command.map((word) => `&command=${encodeURIComponent(word)}`).join('');
  const { session } = await dialNode(fixture.connection, `/exec/one/web/main?stdout=1${words}`, 'v4.channel.k8s.io');
  const error = await session.openStream({ streamType: 'error' });
  const stdout = await session.openStream({ streamType: 'stdout' });
  const [out, outcome] = await Promise.all([textOf(stdout), textOf(error)]);
  session.close();
  return { out, code: (JSON.parse(outcome) as Status).details?.causes?.[0]?.message };
}

test('a pod of real processes runs, is looked into, and ends in good order', async (context) => {
  const fixture = await ProcessNodeFixture.create(context);
  const data = { colour: 'blue' };
  await fixture.client.create(configMapKind, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { ...name, name: 'settings' }, data }); // prettier-ignore
  const container = {
    ...shell('trap "echo bye; exit 0" TERM; echo hello $WHO; while :; do sleep 1000 & wait $!; done'),
    env: [{ name: 'WHO', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    volumeMounts: [{ name: 'config', mountPath: '/config' }],
    readinessProbe: { exec: { command: ['test', '-e', '/config/colour'] } },
  };
  await fixture.createPod('web', {
    containers: [container],
    volumes: [{ name: 'config', configMap: { name: 'settings' } }],
  });
  const pod = await fixture.reaches('web', ready);
  assert.match(pod?.status.podIP ?? '', /^127\./);
  const follow = await openFromNode(fixture.connection, '/containerLogs/one/web/main?follow=true');
  assert.deepEqual(await exec(fixture, 'cat', '/config/colour'), { out: 'blue', code: undefined });
  assert.deepEqual(await exec(fixture, 'sh', '-c', 'exit 4'), { out: '', code: '4' });
  const [running] = await fixture.runtime.list();
  const { directory } = await fixture.runtime.preparePod(pod!);
  await fixture.client.delete(podKind, name);
  await fixture.reaches('web', gone);
  // Some shells say that what they waited for was ended.
  assert.match(await textOf(follow), /^hello web\n(Terminated\n)?bye\n$/);
  assert.equal((await running!.exited).code, 0);
  await fixture.settled();
  assert.deepEqual(await fixture.runtime.list(), []);
  await assert.rejects(stat(directory), { code: 'ENOENT' });
});

test('a pod of real processes survives its agent, and what it printed meanwhile is there', async (context) => {
  const fixture = await ProcessNodeFixture.create(context);
  await fixture.createPod('web', { containers: [shell('echo begun; exec sleep 1000')] });
  const before = await fixture.reaches('web', ready);
  await fixture.restart();
  const after = await fixture.reaches('web', ready);
  assert.deepEqual(after?.status, before?.status);
  const [running] = await fixture.runtime.list();
  assert.equal(running?.id, before?.status.containerStatuses?.[0]?.containerID);
  const log = '/containerLogs/one/web/main';
  assert.equal((await getFromNode(fixture.connection, log)).body, 'begun\n');
  const sinceEver = `${log}?sinceSeconds=${Number.MAX_SAFE_INTEGER}`;
  assert.equal((await getFromNode(fixture.connection, sinceEver)).body, 'begun\n');
  await running!.stop(0);
  const restarted = await fixture.reaches('web', (pod) => pod?.status.containerStatuses?.[0]?.restartCount === 1);
  assert.equal(restarted?.status.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 137);
  await fixture.reaches('web', ready);
});

test('a web server is probed, and reached through its node and at a port of that', async (context) => {
  const fixture = await ProcessNodeFixture.create(context);
  const hostPort = await freePort();
  const script = `require('http').createServer((q, a) => a.end('page ' + q.url)).listen(8080, process.env.POD_IP)`;
  await fixture.createPod('web', {
    containers: [
      {
        name: 'main',
        image: 'node',
        command: ['node', '-e', script],
        env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
        ports: [{ name: 'http', containerPort: 8080, hostPort }],
        readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 },
      },
    ],
  });
  await fixture.reaches('web', ready);
  const { session } = await dialNode(fixture.connection, '/portForward/one/web', 'portforward.k8s.io');
  const error = await session.openStream({ streamType: 'error', port: '8080', requestID: '1' });
  const stream = await session.openStream({ streamType: 'data', port: '8080', requestID: '1' });
  error.end();
  stream.write('GET /there HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.match(await textOf(stream), /page \/there$/);
  session.close();
  // The node looks every second whether the program listens.
  let page: string | undefined;
  while (page === undefined) page = await getPage(hostPort);
  assert.equal(page, 'page /here');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function getPage(port: number): Promise<string | undefined> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/here`)).text();
  } catch {
    return undefined;
  }
}

test('a command that prints a gigabyte to a client that does not read holds no memory', async (context) => {
  const fixture = await ProcessNodeFixture.create(context);
  await fixture.createPod('web', { containers: [shell('exec sleep 1000')] });
  await fixture.reaches('web', ready);
  const command = 'head -c 1000000000 /dev/zero';
  const path = `/exec/one/web/main?stdout=1&command=sh&command=-c&command=${encodeURIComponent(command)}`;
  const { session, socket } = await dialNode(fixture.connection, path, 'v4.channel.k8s.io');
  await session.openStream({ streamType: 'error' });
  const stdout = await session.openStream({ streamType: 'stdout' });
  const before = process.memoryUsage().rss;
  // Reads a little, so that much has been on its way, and then no more.
  let read = 0;
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    read += (chunk as Buffer).length;
    if (read > 20_000_000) break;
  }
  const taken = await untilQuiet(() => socket.bytesRead);
  assert.ok(taken < 100_000_000, `${taken} bytes have arrived`);
  const growth = process.memoryUsage().rss - before;
  assert.ok(growth < 150_000_000, `memory has grown by ${growth} bytes`);
  session.close();
});

/** A number once it has not grown for many turns. */
async function untilQuiet(read: () => number): Promise<number> {
  let [last, quiet] = [read(), 0];
  while (quiet < 5000) {
    await new Promise((resolve) => setImmediate(resolve));
    quiet = read() === last ? quiet + 1 : 0;
    last = read();
  }
  return last;
}

test('containers share a volume in memory, which is no larger than what they may use', async (context) => {
  const fixture = await ProcessNodeFixture.create(context);
  const mounts = {
    volumeMounts: [{ name: 'memory', mountPath: '/memory' }],
    resources: { limits: { memory: '64Mi' } },
  };
  await fixture.createPod('web', {
    containers: [
      { ...shell('until [ -e /memory/file ]; do sleep 0.1; done; echo ready >/memory/seen; sleep 1000'), ...mounts },
      { ...shell('echo hello >/memory/file; sleep 1000'), name: 'other', ...mounts },
    ],
    volumes: [{ name: 'memory', emptyDir: { medium: 'Memory' } }],
  });
  const pod = await fixture.reaches('web', ready);
  const seen = 'until [ -e /memory/seen ]; do sleep 0.1; done; cat /memory/file /memory/seen; stat -f -c %T /memory';
  assert.equal((await exec(fixture, 'sh', '-c', seen)).out, 'hello\nready\ntmpfs\n');
  if (process.getuid?.() === 0) {
    assert.equal((await exec(fixture, 'stat', '-f', '-c', '%b %S', '/memory')).out, '32768 4096\n');
  }
  await fixture.client.delete(podKind, name, { gracePeriodSeconds: 0 });
  await fixture.reaches('web', gone);
  const { uid = '' } = pod!.metadata;
  await until(async () => !(await readFile('/proc/self/mountinfo', 'utf8')).includes(uid));
});
