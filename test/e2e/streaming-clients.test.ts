import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test, type TestContext } from 'node:test';
import { Attach, CoreV1Api, Exec, KubeConfig, Log, PortForward, Watch, type V1Container, type V1Pod, type V1Status } from '@kubernetes/client-node'; // prettier-ignore
import type { WebSocket } from 'ws';
import { openUp, type ClientCluster } from './client-cluster.ts';
import { runClientProgram } from './client-program.ts';
import { pythonStreams } from './debian-client.ts';

const limit = { timeout: 120_000 };
const namespace = 'default';
const port = 8080;

/** Answers every request with its path; below `/bytes/N` with N bytes that N decides on. Only the pod itself hears it. */
const webServer = `
  require('node:http').createServer((request, response) => {
    const [, length] = /^\\/bytes\\/(\\d+)/.exec(request.url) ?? [];
    response.end(length ? Buffer.alloc(Number(length), 'byte ' + length + ';') : request.url);
  }).listen(${port}, '127.0.0.1', () => console.log('listening'));
`;
const listenerScript = 'while read line; do echo "heard $line"; done; echo over';

let cluster: ClientCluster;
const config = new KubeConfig();
let core: CoreV1Api;

function pod(name: string, container: Partial<V1Container>, restartPolicy = 'Never'): V1Pod {
  const containers = [{ name: 'main', image: 'busybox', ...container }];
  return { metadata: { name }, spec: { terminationGracePeriodSeconds: 1, restartPolicy, containers } };
}

function shell(script: string): string[] {
  return ['sh', '-c', script];
}

before(async () => {
  cluster = await openUp();
  config.loadFromFile(cluster.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  const isServing = { exec: { command: ['node', '-e', `require('node:net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0))`] }, periodSeconds: 1, timeoutSeconds: 5 }; // prettier-ignore
  const pods = [
    pod('shell', { command: shell('sleep 1000') }),
    pod('listener', { command: shell(listenerScript), stdin: true, stdinOnce: true }),
    pod('python-listener', { command: shell(listenerScript), stdin: true }),
    pod('web', { image: 'node', command: ['node', '-e', webServer], readinessProbe: isServing }),
  ];
  await Promise.all(pods.map((body) => core.createNamespacedPod({ namespace, body })));
  await Promise.all(pods.map(({ metadata }) => ready(metadata!.name!)));
}, limit);
after(() => cluster?.close());

/** Resolves when a pod takes requests. */
async function ready(name: string): Promise<void> {
  const watch = new Watch(config);
  await new Promise<void>((resolve, reject) => {
    const look = (_type: string, { status }: V1Pod): void => {
      if (status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')) resolve();
    };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const done = (error: unknown): void => reject(error instanceof Error ? error : new Error(`${name} was not ready`));
    watch.watch(path, { fieldSelector: `metadata.name=${name}` }, look, done).then((controller) => {
      signals.push(controller);
    }, reject);
  });
}

const signals: AbortController[] = [];
after(() => signals.forEach((controller) => controller.abort()));

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('@kubernetes/client-node', limit, () => {
  interface Ran {
    readonly stdout: string;
    readonly stderr: string;
    readonly status: V1Status;
  }

  async function run(command: string[], stdin: Readable | null = null): Promise<Ran> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const status = new Promise<V1Status>((resolve, reject) => {
      new Exec(config).exec(namespace, 'shell', 'main', command, stdout, stderr, stdin, false, resolve).catch(reject);
    });
    return { stdout: await text(stdout), stderr: await text(stderr), status: await status };
  }

  const codeOf = ({ details }: V1Status): string | undefined =>
    details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;

  test('runs commands: outputs are apart, and the exit code is told', async () => {
    const { stdout, stderr, status } = await run(shell('echo out; echo err >&2; exit 7'));
    assert.deepEqual([stdout, stderr, status.status, codeOf(status)], ['out\n', 'err\n', 'Failure', '7']);
    assert.equal((await run(['true'])).status.status, 'Success');
  });

  test('hands input over to its end', async () => {
    const input = randomBytes(1_000_000);
    const { stdout, status } = await run(['sha256sum'], Readable.from([input.subarray(0, 10), input.subarray(10)]));
    assert.deepEqual([stdout, status.status], [`${sha(input)}  -\n`, 'Success']);
  });

  test('runs a command in a terminal that has the size of the client’s', async () => {
    const screen = Object.assign(new PassThrough(), { rows: 30, columns: 100 });
    const typed = new PassThrough();
    const status = new Promise<V1Status>((resolve, reject) => {
      const command = shell('until [ "$(stty size)" = "30 100" ]; do sleep 0.1; done; read line; echo "read $line"; exit 5'); // prettier-ignore
      new Exec(config).exec(namespace, 'shell', 'main', command, screen, null, typed, true, resolve).catch(reject);
    });
    typed.write('words\n');
    assert.match(await text(screen), /read words\r\n/);
    assert.equal(codeOf(await status), '5');
  });

  test('joins the program of a container, and hears how it ends', async () => {
    const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const socket = await new Attach(config).attach(namespace, 'listener', 'main', stdout, stderr, stdin, false);
    const closed = once(socket, 'close');
    stdin.end('one\ntwo\n');
    assert.equal(await text(stdout), 'heard one\nheard two\nover\n');
    await closed;
  });

  test('follows a log from its beginning to its end', async () => {
    const body = pod('short', { command: shell('echo begun; sleep 1; echo done') });
    await core.createNamespacedPod({ namespace, body });
    await ready('short');
    const log = new PassThrough();
    await new Log(config).log(namespace, 'short', 'main', log, { follow: true });
    assert.equal(await text(log), 'begun\ndone\n');
  });

  /** A port of this machine that leads to one of the pod, as the library's own example has it; gives what went wrong, too. */
  async function forward(t: TestContext, target: number): Promise<{ local: number; errors: PassThrough }> {
    const errors = new PassThrough();
    const clients = new Set<Socket>();
    const server = createServer((client) => {
      clients.add(client);
      client.on('error', () => undefined).on('close', () => clients.delete(client));
      void new PortForward(config).portForward(namespace, 'web', [target], client, errors, client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      for (const client of clients) client.destroy();
      server.close();
    });
    return { local: (server.address() as AddressInfo).port, errors };
  }

  test('forwards a port: ten downloads of 10 MB at once', async (t) => {
    const { local } = await forward(t, port);
    const lengths = Array.from({ length: 10 }, (_, i) => 10_000_000 + i);
    const sums = await Promise.all(
      lengths.map(async (length) => {
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          get(`http://127.0.0.1:${local}/bytes/${length}`, { agent: false }, resolve).on('error', reject);
        });
        return sha(Buffer.concat((await answer.toArray()) as Buffer[]));
      }),
    );
    assert.deepEqual(sums, lengths.map((length) => sha(Buffer.alloc(length, `byte ${length};`)))); // prettier-ignore
  });

  test('is told why a port cannot be reached, and reaches nothing else of the machine', async (t) => {
    const host = createServer((socket) => socket.end('secret')).listen(0, '127.0.0.1');
    t.after(() => host.close());
    await once(host, 'listening');
    const [output, errors] = [new PassThrough(), new PassThrough()];
    const { port: hostPort } = host.address() as AddressInfo;
    const forwarding = new PortForward(config).portForward(
      namespace,
      'web',
      [hostPort],
      output,
      errors,
      new PassThrough(),
    );
    await once((await forwarding) as WebSocket, 'close');
    assert.match(
      heldBy(errors),
      /no program of this pod listens on port \d+(?:; what listens there .* somebody else)?$/,
    );
    assert.equal(heldBy(output), '');
  });

  /** What a stream holds. */
  const heldBy = (stream: PassThrough): string => String((stream.read() as Buffer | null) ?? '');
});

test('the Python client', limit, async (t) => {
  await runClientProgram(t, { client: pythonStreams, checks: 7, open: async () => cluster.env });
});
