import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { deferred } from '../base/deferred.ts';
import { persistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts';
import { deployment } from '../kinds/extensions/deployment.ts';
import { replicaSet } from '../kinds/extensions/replica-set.ts';
import { forbidden, unauthorized } from '../kinds/meta/api-error.ts';
import type { RequestAction } from './request-action.ts';
import { jsonPatch, mergePatch } from './testing/http-client.ts';
import { startServer, type RunningServer, type RunningServerOptions } from './testing/running-server.ts';

const maps = '/api/v1/namespaces/one/configmaps';
const limit = { timeout: 20_000 };

async function running(t: TestContext, options?: RunningServerOptions): Promise<RunningServer> {
  const server = await startServer(options);
  t.after(() => server.close());
  return server;
}

test('an object is created with 200, read, and listed', limit, async (t) => {
  const server = await running(t);
  const created = await server.send('POST', maps, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
  assert.equal(created.code, 200);
  assert.equal(created.headers['content-type'], 'application/json');
  const { text } = await server.send('GET', `${maps}/a`);
  assert.equal(text, created.text);
  const { items } = (await server.send('GET', '/api/v1/configmaps')).json();
  assert.deepEqual(
    items?.map(({ metadata }) => metadata.name),
    ['a'],
  );
});

test('a known path with another method is 405 and says which there are', limit, async (t) => {
  const server = await running(t);
  for (const [method, path, allowed] of [
    ['PUT', maps, 'GET, POST, DELETE'],
    ['POST', '/api/v1/configmaps', 'GET'],
    ['DELETE', '/api/v1/configmaps', 'GET'],
    ['GET', '/api/v1/namespaces/one/pods/x/status', 'PUT'],
    ['PATCH', '/api/v1/namespaces/one/pods/x/status', 'PUT'],
    ['DELETE', '/api/v1/namespaces/one/services', 'GET, POST'],
    ['POST', '/api/v1/watch/pods', 'GET'],
    ['POST', '/version', 'GET'],
    ['DELETE', '/api/v1', 'GET'],
  ] as const) {
    const answer = await server.send(method, path);
    assert.equal(answer.code, 405, `${method} ${path}`);
    assert.equal(answer.headers.allow, allowed, `${method} ${path}`);
    assert.equal(answer.json().reason, 'MethodNotAllowed');
  }
});

test('a path that is not there is 404 with a Status', limit, async (t) => {
  const server = await running(t);
  for (const path of [
    '/nothing',
    '/api/v2',
    '/api/v2/pods',
    '/apis/none',
    '/api/v1/nothing',
    '/favicon.ico',
    '//api/v1/pods',
  ]) {
    const answer = await server.send('GET', path);
    assert.equal(answer.code, 404, path);
    assert.equal(answer.json().kind, 'Status', path);
  }
});

test('HEAD answers as GET does, without a body', limit, async (t) => {
  const server = await running(t);
  await server.send('POST', maps, { body: { metadata: { name: 'a' } } });
  const get = await server.send('GET', `${maps}/a`);
  const head = await server.send('HEAD', `${maps}/a`);
  assert.equal(head.code, 200);
  assert.equal(head.text, '');
  assert.equal(head.headers['content-length'], get.headers['content-length']);
  assert.equal((await server.send('HEAD', `${maps}/absent`)).code, 404);
});

test('a patch takes its three media types and no other', limit, async (t) => {
  const server = await running(t);
  await server.send('POST', maps, { body: { metadata: { name: 'a' } } });
  for (const type of ['application/json', 'application/yaml', 'text/plain', '']) {
    const headers = { 'Content-Type': type };
    const answer = await server.send('PATCH', `${maps}/a`, { headers, body: '{"data":{"k":"v"}}' });
    assert.equal(answer.code, 415, type);
    assert.match(answer.json().message ?? '', /application\/strategic-merge-patch\+json/);
  }
  const patched = await server.send('PATCH', `${maps}/a`, {
    headers: { 'Content-Type': 'Application/Merge-Patch+JSON; charset=utf-8' },
    body: '{"data":{"k":"v"}}',
  });
  assert.deepEqual(patched.json().data, { k: 'v' });
  const bad = await server.send('PATCH', `${maps}/a`, { headers: jsonPatch, body: 'nonsense' });
  assert.equal(bad.code, 400);
});

test('unknown fields are dropped with a warning, refused, or passed over', limit, async (t) => {
  const server = await running(t);
  const body = (name: string): object => ({ metadata: { name }, colour: 'blue' });
  const warned = await server.send('POST', maps, { body: body('a') });
  assert.equal(warned.code, 200);
  assert.match(String(warned.headers.warning), /^299 - ".*colour.*"$/);
  const strict = await server.send('POST', `${maps}?fieldValidation=Strict`, { body: body('b') });
  assert.equal(strict.code, 400);
  const ignored = await server.send('POST', `${maps}?fieldValidation=Ignore`, { body: body('b') });
  assert.equal(ignored.code, 200);
  assert.equal(ignored.headers.warning, undefined);
  const wrong = await server.send('POST', `${maps}?fieldValidation=Loose`, { body: body('c') });
  assert.equal(wrong.code, 400);
});

test('a dry run answers as if, and stores nothing', limit, async (t) => {
  const server = await running(t);
  const body = { metadata: { name: 'a' } };
  assert.equal((await server.send('POST', `${maps}?dryRun=All`, { body })).code, 200);
  assert.equal((await server.send('GET', `${maps}/a`)).code, 404);
  assert.equal((await server.send('POST', `${maps}?dryRun=Some`, { body })).code, 400);
  assert.equal((await server.send('POST', maps, { body })).code, 200);
  assert.equal((await server.send('DELETE', `${maps}/a?dryRun=All`)).code, 200);
  assert.equal((await server.send('DELETE', `${maps}/a`, { body: { dryRun: ['All'] } })).code, 200);
  assert.equal((await server.send('DELETE', `${maps}/a`, { body: { dryRun: ['Half'] } })).code, 400);
  assert.equal((await server.send('DELETE', `${maps}?dryRun=All`)).code, 200);
  assert.equal((await server.send('GET', `${maps}/a`)).code, 200);
});

test('options of a delete may stand in the query', limit, async (t) => {
  const server = await running(t);
  const pods = '/api/v1/namespaces/one/pods';
  const spec = { containers: [{ name: 'main', image: 'busybox' }], nodeName: 'here' };
  await server.send('POST', pods, { body: { metadata: { name: 'web' }, spec } });
  const refused = await server.send('DELETE', `${pods}/web?gracePeriodSeconds=soon`);
  assert.equal(refused.code, 400);
  const waiting = (await server.send('DELETE', `${pods}/web?gracePeriodSeconds=7`)).json();
  assert.equal(waiting.metadata.deletionGracePeriodSeconds, 7);
  const shorter = await server.send('DELETE', `${pods}/web?gracePeriodSeconds=6`, { body: { gracePeriodSeconds: 3 } });
  assert.equal(shorter.json().metadata.deletionGracePeriodSeconds, 3, 'the body counts');
  await server.send('DELETE', `${pods}/web?gracePeriodSeconds=0`);
  assert.equal((await server.send('GET', `${pods}/web`)).code, 404);
});

test('a list comes in parts when asked to', limit, async (t) => {
  const server = await running(t);
  for (const name of ['a', 'b', 'c']) await server.send('POST', maps, { body: { metadata: { name } } });
  const names: (string | undefined)[] = [];
  let token: string | undefined = '';
  for (let parts = 0; token !== undefined; parts++) {
    assert.ok(parts < 3);
    const part = (await server.send('GET', `${maps}?limit=2&continue=${encodeURIComponent(token)}`)).json();
    names.push(...part.items!.map(({ metadata }) => metadata.name));
    token = (part.metadata as { continue?: string }).continue;
  }
  assert.deepEqual(names, ['a', 'b', 'c']);
  assert.equal((await server.send('GET', `${maps}?continue=nonsense`)).code, 400);
  assert.equal((await server.send('GET', `${maps}?limit=x`)).json().items?.length, 3);
});

test('export leaves out what belongs to this cluster', limit, async (t) => {
  const server = await running(t);
  await server.send('POST', maps, { body: { metadata: { name: 'a', labels: { l: '1' } } } });
  const { metadata } = (await server.send('GET', `${maps}/a?export=true`)).json();
  assert.deepEqual(Object.keys(metadata).sort(), ['labels', 'name', 'selfLink']);
  const exact = (await server.send('GET', `${maps}/a?export=true&exact=true`)).json();
  assert.equal(exact.metadata.namespace, 'one');
  assert.equal(exact.metadata.uid, undefined);
});

test('export leaves out a name that was made up, and what became of a claim', limit, async (t) => {
  const server = await running(t);
  const made = (await server.send('POST', maps, { body: { metadata: { generateName: 'g-' } } })).json().metadata;
  const exported = (await server.send('GET', `${maps}/${made.name}?export=true`)).json().metadata;
  assert.deepEqual([exported.name, exported.generateName], [undefined, 'g-']);
  const exact = (await server.send('GET', `${maps}/${made.name}?export=true&exact=true`)).json().metadata;
  assert.equal(exact.name, made.name);

  const claims = '/api/v1/namespaces/one/persistentvolumeclaims';
  await server.send('POST', claims, { body: persistentVolumeClaim.example });
  assert.deepEqual((await server.send('GET', `${claims}/data?export=true`)).json().status, {});
});

test('what is exported is in its first state', limit, async (t) => {
  const server = await running(t);
  for (const { resource, example, status } of [
    { resource: 'deployments', example: deployment.example, status: {} },
    { resource: 'replicasets', example: replicaSet.example, status: { replicas: 0 } },
  ]) {
    const path = `/apis/extensions/v1beta1/namespaces/one/${resource}/web`;
    await server.send('POST', path.replace('/web', ''), { body: example });
    await server.send('PATCH', path, { headers: mergePatch, body: { spec: { replicas: 7 } } });
    const counted = await server.send('PUT', `${path}/status`, { body: { ...example, status: { replicas: 5 } } });
    assert.deepEqual([counted.code, counted.json().status], [200, { replicas: 5 }]);
    const exported = (await server.send('GET', `${path}?export=true`)).json();
    assert.deepEqual([exported.metadata.generation, exported.status], [1, status]);
  }
});

test('errors come in the format that was asked for', limit, async (t) => {
  const server = await running(t);
  const yaml = await server.send('GET', `${maps}/absent`, { headers: { Accept: 'application/yaml' } });
  assert.equal(yaml.code, 404);
  assert.equal(yaml.headers['content-type'], 'application/yaml');
  assert.match(yaml.text, /^kind: Status$/m);
  assert.equal((await server.send('GET', maps, { headers: { Accept: 'text/html' } })).code, 406);
});

test('who cannot be told is answered 401, except where health is asked for', limit, async (t) => {
  const server = await running(t, { authenticate: () => Promise.reject(unauthorized('no credentials were sent')) });
  for (const path of [maps, '/api/v1/nothing', '/version', '/nothing', `${maps}?watch=true`]) {
    assert.equal((await server.send('GET', path)).code, 401, path);
  }
  assert.equal((await server.send('GET', '/healthz')).text, 'ok');
});

test('authorization hears what is to be done, and is obeyed', limit, async (t) => {
  const asked: RequestAction[] = [];
  const server = await running(t, {
    authorize(_user, action) {
      asked.push(action);
      return action.verb === 'list' ? Promise.resolve() : Promise.reject(forbidden({ resource: 'it' }, 'not for you'));
    },
  });
  assert.equal((await server.send('GET', maps)).code, 200);
  assert.equal((await server.send('GET', `${maps}?watch=true`)).code, 403);
  assert.equal((await server.send('DELETE', maps)).code, 403);
  assert.equal((await server.send('PUT', '/api/v1/namespaces/one/pods/web/status', { body: {} })).code, 403);
  assert.equal((await server.send('GET', '/version')).code, 403);
  const [list, watch, collection, status, version] = asked;
  assert.deepEqual(list, {
    verb: 'list',
    path: maps,
    group: '',
    version: 'v1',
    resource: 'configmaps',
    subresource: undefined,
    namespace: 'one',
    name: undefined,
    fields: undefined,
  });
  assert.equal(watch?.verb, 'watch');
  assert.equal(collection?.verb, 'deletecollection');
  assert.equal(`${status?.verb} ${status?.resource}/${status?.subresource} ${status?.name}`, 'update pods/status web');
  assert.deepEqual(version, { verb: 'get', path: '/version' });
});

test('authorization is told of names in selectors, of namespaces, and of the older proxy paths', limit, async (t) => {
  const asked: RequestAction[] = [];
  const server = await running(t, {
    authorize(_user, action) {
      asked.push(action);
      return Promise.reject(forbidden({ resource: 'it' }, 'not for you'));
    },
  });
  for (const [method, path, words] of [
    ['GET', `${maps}?fieldSelector=metadata.name%3Da`, 'list configmaps one a'],
    ['GET', `${maps}?watch=1&fieldSelector=metadata.name%3Da`, 'watch configmaps one a'],
    ['DELETE', `${maps}?fieldSelector=metadata.name%3Da`, 'deletecollection configmaps one a'],
    ['GET', `${maps}?fieldSelector=metadata.name!%3Da`, 'list configmaps one '],
    ['GET', `${maps}?fieldSelector=nonsense%3Da`, 'list configmaps one '],
    ['GET', `${maps}?fieldSelector=a%3Db&fieldSelector=metadata.name%3Da`, 'list configmaps one '],
    ['GET', `${maps}/b?fieldSelector=metadata.name%3Da`, 'get configmaps one b'],
    ['GET', '/api/v1/namespaces/one', 'get namespaces one one'],
    ['GET', '/api/v1/namespaces', 'list namespaces  '],
    ['GET', '/api/v1/proxy/namespaces/one/pods/web:80/x', 'proxy pods one web:80'],
    ['GET', '/api/v1/namespaces/one/pods/web:80/proxy/x', 'get pods/proxy one web:80'],
  ] as const) {
    assert.equal((await server.send(method, path)).code, 403, path);
    const { verb, resource, subresource, namespace = '', name = '' } = asked.at(-1)!;
    assert.equal(`${verb} ${resource}${subresource ? `/${subresource}` : ''} ${namespace} ${name}`, words);
  }
});

test('whoever is not allowed learns neither that a path is wrong nor that a method is', limit, async (t) => {
  const server = await running(t, { authorize: () => Promise.reject(forbidden({ resource: 'it' }, 'not for you')) });
  for (const [method, path] of [
    ['GET', '/api/v1/nonsense'],
    ['GET', '/nonsense'],
    ['GET', '/api/v1/namespaces/one/pods/..'],
    ['GET', '/api/v1/namespaces/one/pods/%2e%2e%2fsecrets'],
    ['GET', `/api/v1/namespaces/one/pods/${'a'.repeat(4000)}`],
    ['PUT', maps],
    ['POST', '/api/v1/namespaces/one/pods/web/status'],
  ] as const) {
    assert.equal((await server.send(method, path)).code, 403, `${method} ${path}`);
  }
});

test('a replace that would create takes the right to create', limit, async (t) => {
  const server = await running(t, {
    authorize: (_user, { verb, name }) =>
      verb === 'update' || (verb === 'create' && name === undefined && mayCreate)
        ? Promise.resolve()
        : Promise.reject(forbidden({ resource: 'it' }, 'not for you')),
  });
  let mayCreate = false;
  const path = '/api/v1/namespaces/one/endpoints/a';
  assert.equal((await server.send('PUT', path, { body: { metadata: { name: 'a' }, subsets: [] } })).code, 403);
  mayCreate = true;
  assert.equal((await server.send('PUT', path, { body: { metadata: { name: 'a' }, subsets: [] } })).code, 200);
});

test('a fault of the server is a 500 that tells the log, not the client', limit, async (t) => {
  const logged = deferred<unknown>();
  const logger = {
    error: (_message: string, fields?: { error?: unknown }) => logged.resolve(fields?.error),
    warn() {},
    info() {},
    debug() {},
  };
  const server = await running(t, { logger, authenticate: () => Promise.reject(new Error('secret detail')) });
  const answer = await server.send('GET', maps);
  assert.equal(answer.code, 500);
  assert.doesNotMatch(answer.text, /secret detail/);
  assert.match(String(await logged.promise), /secret detail/);
});

test('requests beyond the bound are told to come back, watches are not counted', limit, async (t) => {
  const gate = deferred<void>();
  const entered = deferred<void>();
  const server = await running(t, {
    limits: { requestsInFlight: 1 },
    authorize: (_user, { name }) => (name === 'slow' ? (entered.resolve(), gate.promise) : Promise.resolve()),
  });
  const slow = server.send('GET', `${maps}/slow`);
  await entered.promise;
  const refused = await server.send('GET', `${maps}/quick`);
  assert.equal(refused.code, 429);
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal((await server.watch(`${maps}?watch=true`)).code, 200);
  gate.resolve();
  assert.equal((await slow).code, 404);
  assert.equal((await server.send('GET', `${maps}/quick`)).code, 404);
});

test('a body beyond the bound is refused with 413', limit, async (t) => {
  const server = await running(t, { limits: { bodyBytes: 1000 } });
  const body = { metadata: { name: 'a' }, data: { k: 'x'.repeat(2000) } };
  assert.equal((await server.send('POST', maps, { body })).code, 413);
});

test('a request that asks for a protocol which is not spoken is answered as if it had not', limit, async (t) => {
  const server = await running(t);
  const headers = { Connection: 'Upgrade', Upgrade: 'TLS/1.0' };
  assert.equal((await server.send('GET', maps, { headers })).code, 200);
  assert.equal((await server.send('GET', `${maps}/absent`, { headers })).code, 404);
  const body = { metadata: { name: 'a' } };
  assert.equal((await server.send('POST', maps, { headers, body })).code, 400);
  assert.equal((await server.send('POST', maps, { headers: { ...headers, Upgrade: 'h2c' }, body })).code, 200);
});

test('whole URLs are taken, other targets are refused', limit, async (t) => {
  const server = await running(t);
  assert.equal((await server.send('GET', `http://else.example${maps}`)).code, 200);
  assert.equal((await server.send('OPTIONS', '*')).code, 400);
});

test('requests on one connection are answered in their order, a watch among them', limit, async (t) => {
  const server = await running(t);
  await server.send('POST', maps, { body: { metadata: { name: 'a' } } });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  socket.write(get(`${maps}/a`) + get(`${maps}?watch=true&timeoutSeconds=3`) + get('/healthz'));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  while (!text.includes('ADDED')) await once(socket, 'data');
  await server.send('PATCH', `${maps}/a`, { headers: mergePatch, body: { data: { k: 'v' } } });
  while (!text.includes('MODIFIED')) await once(socket, 'data');
  server.clock.step(3_000);
  while (!text.endsWith('ok')) await once(socket, 'data');
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  assert.ok(text.indexOf('MODIFIED') < text.indexOf('\r\n0\r\n\r\n'));
  socket.destroy();
});

test('component statuses are asked for when they are read', limit, async (t) => {
  const server = await running(t);
  const list = (await server.send('GET', '/api/v1/componentstatuses')).json();
  assert.equal(list.kind, 'ComponentStatusList');
  assert.deepEqual(
    list.items?.map(({ metadata }) => [metadata.name, metadata.selfLink]),
    [['storage', '/api/v1/componentstatuses/storage']],
  );
  const none = await server.send('GET', '/api/v1/componentstatuses?fieldSelector=metadata.name%3Delse');
  assert.deepEqual(none.json().items, []);
  assert.equal((await server.send('GET', '/api/v1/componentstatuses/storage')).json().kind, 'ComponentStatus');
  assert.equal((await server.send('GET', '/api/v1/componentstatuses/else')).code, 404);
  assert.equal((await server.send('GET', '/api/v1/componentstatuses?watch=true')).json().kind, 'ComponentStatusList');
});
