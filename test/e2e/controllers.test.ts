import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { freePort } from './free-port.ts';
import { WherryProcess } from './wherry-process.ts';

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const controllersPath = '/api/v1/namespaces/default/replicationcontrollers';
const lockPath = '/api/v1/namespaces/kube-system/endpoints/wherry-controllers';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

async function send(url: string, method = 'GET', body?: object): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(url, { method, headers: { 'Content-Type': type }, body: body && JSON.stringify(body) });
  return response.json();
}

async function podNames(url: string): Promise<string[]> {
  const { items } = (await send(`${url}/api/v1/namespaces/default/pods`)) as Listed;
  return items.map(({ metadata }) => metadata.name);
}

/** Asks again and again; the test runner's own limit ends what never comes. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
}

async function leader(url: string): Promise<string | undefined> {
  const lock = (await send(url + lockPath)) as { metadata?: { annotations?: Record<string, string> } };
  const record = lock.metadata?.annotations?.[leaderAnnotation];
  return record && (JSON.parse(record) as { holderIdentity?: string }).holderIdentity;
}

async function start(context: TestContext, args: readonly string[]): Promise<{ line: string; process: WherryProcess }> {
  const wherry = new WherryProcess(args);
  context.after(() => wherry.stop('SIGKILL'));
  const line = await wherry.firstLine;
  assert.ok(line);
  return { line, process: wherry };
}

describe('wherry controllers', () => {
  test('one of two works, and the other takes over when it is killed', { timeout: 60_000 }, async (context) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await start(context, ['apiserver', '--memory', '--secure-port', '0', '--insecure-port', String(port)]);
    const candidates = [
      await start(context, ['controllers', '--server', url]),
      await start(context, ['controllers', '--server', url]),
    ];
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    await send(url + controllersPath, 'POST', { metadata: { name: 'web' }, spec: { replicas: 3, template } });
    const three = await until(async () => ((await podNames(url)).length === 3 ? podNames(url) : undefined));
    const first = await until(() => leader(url));
    const working = candidates.find(({ line }) => line.includes(first));
    assert.ok(working, `${first} is one of the candidates`);
    await working.process.stop('SIGKILL');
    await send(`${url}${controllersPath}/web`, 'PATCH', { spec: { replicas: 5 } });
    const five = await until(async () => ((await podNames(url)).length === 5 ? podNames(url) : undefined));
    assert.deepEqual(
      three.filter((name) => !five.includes(name)),
      [],
      'pods that were there stay',
    );
    assert.notEqual(await leader(url), first);
    const other = candidates.find((candidate) => candidate !== working)!;
    assert.equal((await other.process.stop()).code, 0);
  });

  test('without a way to a server says what is missing', async () => {
    const ended = await new WherryProcess(['controllers', '--kubeconfig', '/nonexistent/kubeconfig']).ended;
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /nonexistent/);
  });
});

describe('wherry node', () => {
  test('joins simulated nodes to a server, and pods on them run', { timeout: 60_000 }, async (context) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await start(context, ['apiserver', '--memory', '--secure-port', '0', '--insecure-port', String(port)]);
    const nodes = await start(context, ['node', '--server', url, '--count', '3', '--name', 'test']);
    assert.equal(nodes.line, 'joined 3 nodes');
    const { items } = (await send(`${url}/api/v1/nodes`)) as Listed;
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['test-1', 'test-2', 'test-3'],
    );
    const spec = { nodeName: 'test-2', containers: [{ name: 'main', image: 'busybox' }] };
    await send(`${url}/api/v1/namespaces/default/pods`, 'POST', { metadata: { name: 'p' }, spec });
    const phase = await until(async () => {
      const pod = (await send(`${url}/api/v1/namespaces/default/pods/p`)) as { status?: { phase?: string } };
      return pod.status?.phase === 'Running' ? pod.status.phase : undefined;
    });
    assert.equal(phase, 'Running');
    assert.equal((await nodes.process.stop()).code, 0);
  });
});
