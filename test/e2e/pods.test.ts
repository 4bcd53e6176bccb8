import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, get, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 60_000 };

let cluster: KubectlCluster;
let directory: string;

function container(script: string, more: object = {}): object {
  return { name: 'main', image: 'busybox', command: ['sh', '-c', script], ...more };
}

function pod(name: string, containers: readonly object[], more: object = {}): object {
  const spec = { terminationGracePeriodSeconds: 1, containers, ...more };
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name, labels: { app: name } }, spec };
}

/** Answers every request with its method and path; below `/bytes/N` with N bytes that N decides on. */
const webServer = `
  require('node:http').createServer((request, response) => {
    const [, length] = /^\\/bytes\\/(\\d+)/.exec(request.url) ?? [];
    response.end(length ? Buffer.alloc(Number(length), 'byte ' + length + ';') : request.method + ' ' + request.url);
  }).listen(8080, process.env.POD_IP);
`;

const objects = [
  pod('talker', [container('for i in 1 2 3 4 5; do echo line $i; done; sleep 1000')]),
  pod('shell', [container('sleep 1000')]),
  pod('pair', [container('sleep 1000', { name: 'left' }), container('echo from the right; sleep 1000', { name: 'right' })]), // prettier-ignore
  pod('listener', [container('while read line; do echo "heard $line"; done; echo over', { stdin: true, stdinOnce: true })], { restartPolicy: 'Never' }), // prettier-ignore
  pod('faller', [container('echo fell; exit 4')]),
  pod('web', [
    {
      name: 'main',
      image: 'node',
      command: ['node', '-e', webServer],
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      readinessProbe: { httpGet: { port: 'http', path: '/' }, periodSeconds: 1 },
    },
  ]),
  {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  },
];

before(async () => {
  if (!('path' in tool)) return;
  directory = await mkdtemp(join(tmpdir(), 'wherry-pods-'));
  cluster = await openKubectlCluster(tool.path, { controllers: true, nodes: { count: 1, runtime: 'process' } });
  await cluster.succeed(['create', '-f', '-'], { kind: 'List', apiVersion: 'v1', items: objects });
  const steady = ['talker', 'shell', 'pair', 'listener', 'web'].map((name) => `pod/${name}`);
  await cluster.succeed(['wait', '--for=condition=Ready', '--timeout=40s', ...steady]);
}, limit);
after(async () => {
  await cluster?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
});

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('kubectl logs', { skip, ...limit }, () => {
  test('prints all of a log, or the part that is asked for', async () => {
    const all = ['line 1', 'line 2', 'line 3', 'line 4', 'line 5', ''].join('\n');
    assert.equal(await cluster.succeed(['logs', 'talker']), all);
    assert.equal(await cluster.succeed(['logs', 'talker', '-c', 'main', '--since=1h']), all);
    assert.equal(await cluster.succeed(['logs', 'talker', '--tail=2']), 'line 4\nline 5\n');
    assert.equal(await cluster.succeed(['logs', 'talker', '--limit-bytes=9']), 'line 1\nli');
    assert.equal(await cluster.succeed(['logs', 'talker', '--since-time=2100-01-01T00:00:00Z']), '');
    assert.equal(await cluster.succeed(['logs', 'pair', '-c', 'right']), 'from the right\n');
    assert.match(await cluster.succeed(['logs', 'talker', '--timestamps', '--tail=1']), /^\d{4}-\S+Z line 5\n$/);
    assert.match((await cluster.kubectl(['logs', 'talker', '--previous'])).stderr, /no previous run/);
    assert.match((await cluster.kubectl(['logs', 'talker', '-c', 'other'])).stderr, /other/);
  });

  test('follows a log until it is stopped, and to its end', async () => {
    const follower = cluster.start(['logs', '-f', 'shell']);
    await cluster.succeed(['exec', 'shell', '--', 'true']);
    follower.kill();
    await once(follower, 'close');
    const short = pod('short', [container('echo begun; sleep 1; echo done')], { restartPolicy: 'Never' });
    await cluster.succeed(['create', '-f', '-'], short);
    await cluster.succeed(['wait', '--for=condition=Ready', '--timeout=20s', 'pod/short']);
    assert.equal(await cluster.succeed(['logs', '-f', 'short']), 'begun\ndone\n');
  });

  test('prints the log of the run before', async () => {
    const states = cluster.start(['get', 'pod', 'faller', '-w', '-o', 'jsonpath={.status.containerStatuses[0].restartCount}{"\\n"}']); // prettier-ignore
    for await (const line of createInterface({ input: states.stdout })) if (Number(line) >= 1) break;
    states.kill();
    assert.equal(await cluster.succeed(['logs', '--previous', 'faller']), 'fell\n');
  });
});

describe('kubectl exec', { skip, ...limit }, () => {
  test('keeps outputs apart and ends as the command does', async () => {
    const command = ['exec', 'shell', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7'];
    const { code, stdout, stderr } = await cluster.kubectl(command);
    assert.deepEqual([code, stdout], [7, 'out\n']);
    assert.match(stderr, /^err\n/);
    assert.equal((await cluster.kubectl(['exec', 'shell', '--', 'true'])).code, 0);
    assert.notEqual((await cluster.kubectl(['exec', 'shell', '--', '/no/such/program'])).code, 0);
  });

  test('hands input over to its end, and runs in the container that is named', async () => {
    const input = randomBytes(1_000_000).toString('base64');
    assert.equal(await cluster.succeed(['exec', '-i', 'shell', '--', 'sha256sum'], input), `${sha(Buffer.from(input))}  -\n`); // prettier-ignore
    assert.equal(await cluster.succeed(['exec', 'pair', '-c', 'right', '--', 'echo', 'a  b', '$HOME']), 'a  b $HOME\n');
    assert.match((await cluster.kubectl(['exec', 'pair', '-c', 'middle', '--', 'ls'])).stderr, /middle/);
  });

  test('gives a terminal of the size that the client has', async () => {
    const sized = 'until [ "$(stty size)" = "30 100" ]; do sleep 0.1; done; tty; exit 5';
    const { code, stdout } = await cluster.inTerminal(['exec', '-it', 'shell', '--', 'sh', '-c', sized], '');
    assert.match(stdout, /\/dev\/pts\/\d+/);
    assert.equal(code, 5);
    const typed = await cluster.inTerminal(['exec', '-it', 'shell', '--', 'sh'], 'echo $((6*7)); exit 6\n');
    assert.match(typed.stdout, /\b42\r?$/m);
    assert.equal(typed.code, 6);
  });
});

describe('kubectl attach and run', { skip, ...limit }, () => {
  test('speak with the program of a container until it ends', async () => {
    const { code, stdout } = await cluster.kubectl(['attach', '-i', 'listener'], 'one\ntwo\n');
    assert.deepEqual([code, stdout], [0, 'heard one\nheard two\nover\n']);
    const run = ['run', 'once', '--image=busybox', '--restart=Never', '--rm', '-i', '--quiet', '--', 'cat'];
    assert.match(await cluster.succeed(run, 'through the pod\n'), /^through the pod\n/);
  });
});

test('kubectl cp carries files and directories both ways', { skip, ...limit }, async () => {
  const bytes = randomBytes(3_000_000);
  const [there, back] = [join(directory, 'there'), join(directory, 'back')];
  await mkdir(join(directory, 'tree', 'deep'), { recursive: true });
  await writeFile(join(directory, 'tree', 'deep', 'file'), bytes);
  await cluster.succeed(['cp', join(directory, 'tree'), `shell:${there}`]);
  assert.equal(sha(await readFile(join(there, 'deep', 'file'))), sha(bytes));
  await cluster.succeed(['cp', `shell:${there}/deep/file`, back]);
  assert.equal(sha(await readFile(back)), sha(bytes));
});

function read(url: string, method = 'GET'): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = method === 'GET' ? get(url, { agent: false }) : request(url, { method, agent: false }).end();
    sent.on('error', reject);
    sent.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
  });
}

/** Starts a kubectl that listens on a port of its own choice, for as long as `use` takes with the URL; gives what it complained about. */
async function listening(args: readonly string[], use: (url: string) => Promise<void>): Promise<string> {
  const child = cluster.start(args);
  const complaints = text(child.stderr);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, address] = /(127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (!address) continue;
      // What else it prints must not stop it.
      child.stdout.resume();
      await use(`http://${address}`);
      child.kill();
      return await complaints;
    }
    return assert.fail(`kubectl ${args.join(' ')} does not listen: ${await complaints}`);
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
}

describe('kubectl port-forward', { skip, ...limit }, () => {
  for (const target of ['pod/web', 'service/web']) {
    test(`leads ten downloads at once to ${target}, each as it was sent`, async () => {
      const port = target === 'pod/web' ? ':8080' : ':80';
      await listening(['port-forward', target, port], async (url) => {
        assert.equal((await read(`${url}/hello?a=1`)).toString(), 'GET /hello?a=1');
        const lengths = Array.from({ length: 10 }, (_, i) => 10_000_000 + i);
        const bodies = await Promise.all(lengths.map((length) => read(`${url}/bytes/${length}`)));
        const wanted = lengths.map((length) => sha(Buffer.alloc(length, `byte ${length};`)));
        assert.deepEqual(bodies.map(sha), wanted);
      });
    });
  }

  test('says when nobody listens there', async () => {
    const told = await listening(['port-forward', 'pod/web', ':8081'], async (url) => {
      await assert.rejects(read(url), /hang up|ECONNRESET/);
    });
    assert.match(told, /no program of this pod listens on port 8081\n/);
  });

  test('does not lead to what listens on this machine for others', async (t) => {
    for (const address of ['127.0.0.1', '0.0.0.0']) {
      const server = createServer((_request, response) => response.end('secret')).listen(0, address);
      t.after(() => server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const told = await listening(['port-forward', 'pod/web', `:${port}`], async (url) => {
        await assert.rejects(read(url), /hang up|ECONNRESET/);
      });
      assert.match(told, /belongs to somebody else/);
    }
  });
});

test('the proxy reaches pods, services and nodes', { skip, ...limit }, async () => {
  const raw = (path: string): Promise<string> => cluster.succeed(['get', '--raw', path]);
  assert.equal(await raw('/api/v1/namespaces/default/pods/web/proxy/a?b=1'), 'GET /a?b=1');
  assert.equal(await raw('/api/v1/namespaces/default/services/http:web:80/proxy/a/'), 'GET /a/');
  assert.equal(await raw('/api/v1/proxy/namespaces/default/services/web:http/a'), 'GET /a');
  const nodeName = await cluster.succeed(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}']);
  assert.equal(await raw(`/api/v1/nodes/${nodeName}/proxy/healthz`), 'ok');
  await listening(['proxy', '--port=0'], async (url) => {
    const service = `${url}/api/v1/namespaces/default/services/web/proxy`;
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      assert.equal((await read(`${service}/x`, method)).toString(), `${method} /x`);
    }
    assert.equal(sha(await read(`${service}/bytes/5000000`)), sha(Buffer.alloc(5_000_000, 'byte 5000000;')));
  });
});
