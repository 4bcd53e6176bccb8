import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startServer, type RunningServer } from '../testing/running-server.ts';

const pods = '/api/v1/namespaces/one/pods';
const limit = { timeout: 20_000 };

/** Pods `single` and `double` wait for a node, `placed` has one, and that of `lost` is not there. */
async function running(t: TestContext): Promise<RunningServer> {
  const server = await startServer();
  t.after(() => server.close());
  const create = async (name: string, containers: readonly string[], nodeName?: string): Promise<void> => {
    const spec = { nodeName, containers: containers.map((each) => ({ name: each, image: 'busybox' })) };
    assert.equal((await server.send('POST', pods, { body: { metadata: { name }, spec } })).code, 200);
  };
  await create('single', ['main']);
  await create('double', ['left', 'right']);
  await create('placed', ['main'], 'here');
  await create('lost', ['main'], 'gone');
  assert.equal((await server.send('POST', '/api/v1/nodes', { body: { metadata: { name: 'here' } } })).code, 200);
  return server;
}

async function check(server: RunningServer, cases: readonly (readonly [string, string, number])[]): Promise<void> {
  for (const [method, path, code] of cases) {
    const answer = await server.send(method, `${pods}/${path}`);
    assert.equal(answer.code, code, `${method} ${path}`);
    if (code >= 400) assert.equal(answer.json().kind, 'Status', `${method} ${path}`);
  }
}

test('the log of a pod that has no node yet is empty', limit, async (t) => {
  const server = await running(t);
  await check(server, [
    ['GET', 'single/log', 204],
    ['GET', 'single/log?container=main&tailLines=0&follow=true', 204],
    ['GET', 'double/log?container=left', 204],
    ['GET', 'absent/log', 404],
    ['POST', 'single/log', 405],
  ]);
});

test('what is asked of a log must make sense', limit, async (t) => {
  const server = await running(t);
  await check(server, [
    ['GET', 'double/log', 400],
    ['GET', 'single/log?container=other', 400],
    ['GET', 'single/log?tailLines=-1', 422],
    ['GET', 'single/log?limitBytes=0', 422],
    ['GET', 'single/log?sinceSeconds=0', 422],
    ['GET', 'single/log?sinceSeconds=5&sinceTime=2016-01-01T00:00:00Z', 422],
    ['GET', 'single/log?tailLines=many', 400],
    ['GET', 'single/log?sinceTime=yesterday', 400],
    ['GET', 'single/log?sinceTime=2016-01-01', 400],
  ]);
});

test('no command runs in, and no port leads to, a pod without a node', limit, async (t) => {
  const server = await running(t);
  await check(server, [
    ['GET', 'single/exec?command=ls', 400],
    ['POST', 'single/exec?command=ls&container=other', 400],
    ['POST', 'single/exec', 400],
    ['POST', 'double/attach', 400],
    ['GET', 'single/attach', 400],
    ['POST', 'single/portforward', 400],
    ['GET', 'absent/exec?command=ls', 404],
    ['DELETE', 'single/exec', 405],
    ['PUT', 'single/attach', 405],
  ]);
});

test('a pod on a node that is not there is a 404 of that node', limit, async (t) => {
  const server = await running(t);
  for (const path of ['lost/log', 'lost/exec', 'lost/exec?command=ls', 'lost/attach', 'lost/portforward']) {
    const { details } = (await server.send('GET', `${pods}/${path}`)).json();
    assert.deepEqual(details, { name: 'gone', kind: 'nodes' }, path);
  }
  await check(server, [['GET', 'lost/exec?command=ls&container=other', 400]]);
});

test('a node without an agent is a 503 that names it', limit, async (t) => {
  const server = await running(t);
  for (const path of ['placed/log', 'placed/exec?command=ls', 'placed/attach', 'placed/portforward']) {
    const answer = await server.send('GET', `${pods}/${path}`);
    assert.equal(answer.code, 503, path);
    assert.match(answer.json().message ?? '', /node here/);
  }
});
