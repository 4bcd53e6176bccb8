import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deferred } from '../../base/deferred.ts';
import type { NodeMetrics } from '../../kinds/metrics/node-metrics.ts';
import type { PodMetrics } from '../../kinds/metrics/pod-metrics.ts';
import { simulatedLabel } from '../../kinds/core/simulated-node.ts';
import type { Status } from '../../kinds/meta/status.ts';
import { startConnected, type ConnectedServer } from '../connect/testing/connected-server.ts';
import { mergePatch } from '../testing/http-client.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';

const group = '/apis/metrics.k8s.io/v1beta1';
const limit = { timeout: 20_000 };
const time = '2030-01-01T00:00:00Z';

const mebibyte = 1024 * 1024;

function figures(nanoCores: number, bytes: number): object {
  return {
    cpu: { time, usageNanoCores: nanoCores, windowSeconds: 12.2, usageCoreNanoSeconds: 7e9 },
    memory: { time, usageBytes: bytes, workingSetBytes: bytes },
  };
}

/** A server with pod `one/web` on node `here`, which says that it uses what `figures` are made of. */
async function startMeasured(t: TestContext, containers: readonly object[]): Promise<ConnectedServer> {
  let uid = '';
  const server = await startConnected(t, {
    answer(_request, response) {
      const node = { nodeName: 'here', ...figures(1_500_000_000, 512 * mebibyte) };
      const pods = [{ podRef: { name: 'web', namespace: 'one', uid }, containers }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ node, pods }));
    },
  });
  uid = await run(server, 'web', { labels: { app: 'web' } });
  return server;
}

/** Lets a pod of namespace `one` run; gives its uid. */
async function run(server: RunningServer, name: string, metadata: object): Promise<string> {
  const path = `/api/v1/namespaces/one/pods/${name}`;
  const patched = await server.send('PATCH', path, { body: { metadata }, headers: mergePatch });
  assert.equal(patched.code, 200);
  const pod = patched.json() as unknown as { metadata: { uid: string }; status: object };
  const status = { ...pod.status, phase: 'Running' };
  assert.equal((await server.send('PUT', `${path}/status`, { body: { ...pod, status } })).code, 200);
  return pod.metadata.uid;
}

async function list<T>(server: RunningServer, path: string): Promise<T[]> {
  const { code, json } = await server.send('GET', `${group}${path}`);
  assert.equal(code, 200, path);
  return (json() as unknown as { items: T[] }).items;
}

const podNames = async (server: RunningServer, path: string): Promise<(string | undefined)[]> =>
  (await list<PodMetrics>(server, path)).map(({ metadata }) => metadata.name);

test('what pods use is what their node has measured', limit, async (t) => {
  const main = { name: 'main', ...figures(137_123_456, 64 * mebibyte) };
  const server = await startMeasured(t, [main, { name: 'side', ...figures(0, 100) }]);
  const { json } = await server.send('GET', `${group}/namespaces/one/pods`);
  const { kind, apiVersion, items } = json() as unknown as { kind: string; apiVersion: string; items: PodMetrics[] };
  assert.deepEqual([kind, apiVersion, items.length], ['PodMetricsList', 'metrics.k8s.io/v1beta1', 1]);
  const metrics = {
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: {
      name: 'web',
      namespace: 'one',
      selfLink: `${group}/namespaces/one/pods/web`,
      creationTimestamp: time,
      labels: { app: 'web' },
    },
    timestamp: time,
    window: '12s',
    containers: [
      { name: 'main', usage: { cpu: '137123456n', memory: '65536Ki' } },
      { name: 'side', usage: { cpu: '0', memory: '1Ki' } },
    ],
  };
  assert.deepEqual(items[0], metrics);
  assert.deepEqual((await server.send('GET', `${group}/namespaces/one/pods/web`)).json(), metrics);
});

test('what nodes use is what their agents say of the whole machine', limit, async (t) => {
  const server = await startMeasured(t, []);
  const [node, ...others] = await list<NodeMetrics>(server, '/nodes');
  assert.deepEqual(others, []);
  assert.deepEqual([node?.metadata.name, node?.usage], ['here', { cpu: '1500m', memory: '524288Ki' }]);
  assert.deepEqual((await server.send('GET', `${group}/nodes/here`)).json(), node);
});

test('metrics are chosen by namespace, name and labels, as the pods are', limit, async (t) => {
  const server = await startMeasured(t, [{ name: 'main', ...figures(1e6, 1024) }]);
  assert.deepEqual(await podNames(server, '/pods'), ['web']);
  assert.deepEqual(await podNames(server, '/namespaces/two/pods'), []);
  assert.deepEqual(await podNames(server, '/pods?labelSelector=app%3Dweb'), ['web']);
  assert.deepEqual(await podNames(server, '/pods?labelSelector=app%21%3Dweb'), []);
  assert.deepEqual(await podNames(server, '/pods?fieldSelector=metadata.name%3Dweb'), ['web']);
  assert.deepEqual(await podNames(server, '/pods?fieldSelector=metadata.namespace%3Dtwo'), []);
  assert.deepEqual(await list(server, '/nodes?labelSelector=a%3Db'), []);
  assert.equal((await server.send('GET', `${group}/pods?labelSelector=%21%21`)).code, 400);
  for (const [path, resource] of [
    ['/nodes/there', 'nodes'],
    ['/namespaces/one/pods/other', 'pods'],
    ['/namespaces/two/pods/web', 'pods'],
  ]) {
    const { code, json } = await server.send('GET', `${group}${path}`);
    const { details } = json() as unknown as Status;
    assert.deepEqual([code, details?.group, details?.kind], [404, 'metrics.k8s.io', resource], path);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    assert.equal((await server.send(method, `${group}/namespaces/one/pods/web`, { body: {} })).code, 405, method);
  }
});

test('metrics come as tables', limit, async (t) => {
  const containers = ['main', 'side'].map((name) => ({ name, ...figures(2_000_001, 2048) }));
  const server = await startMeasured(t, containers);
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const { json } = await server.send('GET', `${group}/pods`, { headers });
  const { columnDefinitions, rows } = json() as unknown as {
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[] }[];
  };
  assert.deepEqual(columnDefinitions.map(({ name }) => name), ['Name', 'CPU', 'Memory', 'Window']); // prettier-ignore
  assert.deepEqual(rows.map(({ cells }) => cells), [['web', '5m', '4Ki', '12s']]); // prettier-ignore
});

test('a node is asked once for all who ask within two seconds', limit, async (t) => {
  const server = await startMeasured(t, [{ name: 'main', ...figures(1e6, 1024) }]);
  await Promise.all([list(server, '/nodes'), list(server, '/pods'), list(server, '/namespaces/one/pods')]);
  assert.deepEqual(server.node.seen, ['GET /stats/summary']);
  server.clock.step(2000);
  await list(server, '/pods');
  assert.equal(server.node.seen.length, 2);
});

test('of what a node does not say there are no metrics, and nothing else suffers', limit, async (t) => {
  const answers = [
    (response: { destroy(): void }) => response.destroy(),
    { code: 500, body: '{}' },
    { code: 200, body: 'nonsense' },
    { code: 200, body: '[]' },
    { code: 200, body: JSON.stringify({ node: { cpu: null }, pods: [null, { podRef: 3 }, { containers: {} }] }) },
    {
      code: 200,
      body: JSON.stringify({ node: { cpu: { time, usageNanoCores: -1 }, memory: { workingSetBytes: 1 } } }),
    },
  ];
  let answer = answers[0];
  const server = await startConnected(t, {
    answer(_request, response) {
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer!.code).end(answer!.body);
    },
  });
  await run(server, 'web', {});
  for (const each of answers) {
    answer = each;
    assert.deepEqual(await list(server, '/nodes'), []);
    assert.deepEqual(await list(server, '/pods'), []);
    assert.equal((await server.send('GET', `${group}/nodes/here`)).code, 404);
    server.clock.step(2000);
  }
  assert.equal(server.node.seen.length, answers.length);
});

test('a node that stops in the middle of its answer is not waited for', limit, async (t) => {
  const begun = deferred<void>();
  const server = await startConnected(t, {
    answer(_request, response) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"node":', () => begun.resolve());
    },
  });
  const listing = list(server, '/nodes');
  await begun.promise;
  // Until what was written has arrived.
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  server.clock.step(5000);
  assert.deepEqual(await listing, []);
});

test('what a node has said is forgotten in time though the clock is set back', limit, async (t) => {
  const server = await startMeasured(t, []);
  await list(server, '/nodes');
  server.clock.setBy(-60 * 60_000);
  server.clock.step(2000);
  await list(server, '/nodes');
  assert.equal(server.node.seen.length, 2);
});

test('what simulated pods use is what their annotations say', limit, async (t) => {
  const server = await startMeasured(t, []);
  const node = { metadata: { name: 'toy', labels: { [simulatedLabel]: 'true' } } };
  assert.equal((await server.send('POST', '/api/v1/nodes', { body: node })).code, 200);
  assert.equal((await server.send('POST', '/api/v1/nodes', { body: { metadata: { name: 'silent' } } })).code, 200);
  const cpu = 'simulated.wherry.dev/cpu-usage';
  const memory = 'simulated.wherry.dev/memory-usage';
  for (const [name, annotations, runs] of [
    ['busy', { [cpu]: '300m', [memory]: '2Mi' }, true],
    ['lazy', { [cpu]: '10m' }, true],
    ['mute', {}, true],
    ['idle', { [cpu]: '10m' }, false],
  ] as const) {
    const containers = ['a', 'b'].map((each) => ({ name: each, image: 'x' }));
    const body = { metadata: { name, annotations }, spec: { nodeName: 'toy', containers } };
    assert.equal((await server.send('POST', '/api/v1/namespaces/one/pods', { body })).code, 200);
    if (runs) await run(server, name, {});
  }
  assert.deepEqual(await podNames(server, '/pods'), ['busy', 'lazy']);
  const [busy] = await list<PodMetrics>(server, '/pods');
  const usage = { cpu: '150m', memory: '1024Ki' };
  assert.deepEqual(busy?.containers, ['a', 'b'].map((name) => ({ name, usage }))); // prettier-ignore
  const nodes = await list<NodeMetrics>(server, '/nodes');
  const usages = nodes.map(({ metadata, usage }) => [metadata.name, usage['cpu'], usage['memory']]);
  assert.deepEqual(usages, [['here', '1500m', '524288Ki'], ['toy', '310m', '2048Ki']]); // prettier-ignore
});

test('a server that reaches no nodes does not serve metrics', limit, async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  assert.equal((await server.send('GET', `${group}/nodes`)).code, 404);
});
