import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mergePatch, type ReceivedAnswer, type SentRequest } from '../src/server/testing/http-client.ts';
import { operations, type Family, type Operation } from './contract/operations.ts';
import { namespace, openScene, type Scene } from './contract/scene.ts';

const all = operations();
const limit = { timeout: 60_000 };
let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

/** The path of a request, for an object of this name. */
function fill({ path }: Operation, name: string): string {
  return path.replace('{namespace}', namespace).replace('{name}', name).replace('{path}', 'some/path');
}

function title({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function ofFamily(...families: readonly Family[]): Operation[] {
  return all.filter(({ family }) => families.includes(family));
}

/** What must be there, and what is sent, for an operation to succeed. */
async function prepare(operation: Operation, name: string): Promise<SentRequest> {
  const { family, method, resource } = operation;
  if (resource === 'componentstatuses' || resource === '') return {};
  if (family === 'create') return { body: scene.example(resource, name) };
  const object = await scene.create(resource, name);
  if (method === 'PATCH') return { headers: mergePatch, body: { metadata: { annotations: { touched: 'yes' } } } };
  if (family === 'binding') return { body: { metadata: { name }, target: { kind: 'Node', name: 'somewhere' } } };
  if (family === 'rollback') return { body: { name, rollbackTo: { revision: 1 } } };
  if (family === 'scale' && method === 'PUT') return { body: { metadata: { name, namespace }, spec: { replicas: 3 } } };
  return method === 'PUT' && family !== 'proxy' ? { body: object } : {};
}

/** Sends an operation once, with all that it needs, about an object of its own. */
async function perform(operation: Operation, query = ''): Promise<ReceivedAnswer> {
  const name = scene.freshName();
  const sent = await prepare(operation, name);
  // Collections are bounded, so that no operation takes away what another one needs.
  const bound = operation.family === 'deleteCollection' ? `labelSelector=made%3D${name}` : '';
  const reached = operation.resource === 'componentstatuses' ? 'storage' : name;
  return scene.send(operation.method, `${fill(operation, reached)}?${[bound, query].filter(Boolean).join('&')}`, sent);
}

test('the interface has 337 operations, each of them once', () => {
  assert.equal(all.length, 337);
  assert.equal(new Set(all.map(title)).size, 337);
});

describe('every operation is there', limit, () => {
  const answered: readonly Family[] = [
    'list',
    'create',
    'deleteCollection',
    'read',
    'replace',
    'patch',
    'delete',
    'replaceStatus',
    'replaceFinalizers',
    'scale',
    'rollback',
    'binding',
    'discovery',
  ];
  for (const operation of ofFamily(...answered)) {
    test(`${title(operation)} succeeds`, async () => {
      const answer = await perform(operation);
      assert.equal(answer.code, 200, answer.text);
      assert.ok(answer.json().kind);
    });
  }
  for (const operation of ofFamily('watch')) {
    test(`${title(operation)} opens a stream`, async () => {
      const name = scene.freshName();
      const watch = await scene.watch(`${fill(operation, name)}?labelSelector=made%3D${name}`);
      assert.equal(watch.code, 200);
      await scene.create(operation.resource, name);
      const event = await watch.next();
      assert.equal(`${event?.type} ${event?.object.metadata.name}`, `ADDED ${name}`);
      watch.close();
    });
  }
  for (const operation of ofFamily('proxy')) {
    test(`${title(operation)} says that nothing can be reached yet`, async () => {
      const name = scene.freshName();
      if (operation.resource === 'services') await createEmptyEndpoints(name);
      else await scene.create(operation.resource, name);
      assert.equal((await scene.send(operation.method, fill(operation, name))).code, 503);
    });
  }
  for (const operation of ofFamily('connect')) {
    test(`${title(operation)} says that the pod has no node yet`, async () => {
      const answer = await perform(operation, 'command=ls');
      assert.equal(answer.code, 400);
      assert.match(answer.json().message ?? '', /not on a node/);
    });
  }
  for (const operation of ofFamily('log')) {
    test(`${title(operation)} has nothing to read before the pod runs`, async () => {
      assert.equal((await perform(operation)).code, 204);
      assert.equal((await perform(operation, 'container=none')).code, 400);
      assert.equal((await perform(operation, 'tailLines=-1')).code, 422);
      assert.equal((await perform(operation, 'limitBytes=0')).code, 422);
      assert.equal((await perform(operation, 'sinceSeconds=1&sinceTime=2016-01-01T00:00:00Z')).code, 422);
    });
  }
});

async function createEmptyEndpoints(name: string): Promise<void> {
  const subsets = [{ notReadyAddresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }];
  const path = `/api/v1/namespaces/${namespace}/endpoints`;
  assert.equal((await scene.send('POST', path, { body: { metadata: { name }, subsets } })).code, 200);
}

describe('every parameter is honoured', limit, () => {
  const isWatch = ({ family }: Operation): boolean => family === 'watch';
  for (const operation of all.filter(
    (each) => each.query.includes('pretty') && !isWatch(each) && each.family !== 'log',
  )) {
    test(`${title(operation)} pretty`, async () => {
      assert.match((await perform(operation, 'pretty=true')).text, /^\{\n {2}"/);
      assert.doesNotMatch((await perform(operation, 'pretty=false')).text, /\n /);
    });
  }
  for (const operation of all.filter(({ query }) => query.includes('export'))) {
    test(`${title(operation)} export, exact`, async () => {
      const { metadata } = (await perform(operation, 'export=true')).json();
      assert.deepEqual([metadata.uid, metadata.resourceVersion, metadata.namespace], [undefined, undefined, undefined]);
      const exact = (await perform(operation, 'export=true&exact=true')).json();
      assert.equal(exact.metadata.namespace, operation.path.includes('{namespace}') ? namespace : undefined);
    });
  }
  for (const operation of ofFamily('list').filter(({ resource }) => resource !== 'componentstatuses')) {
    test(`${title(operation)} labelSelector, fieldSelector`, async () => {
      const [name, other] = [scene.freshName(), scene.freshName()];
      await scene.create(operation.resource, name);
      await scene.create(operation.resource, other);
      for (const query of [`labelSelector=made%3D${name}`, `fieldSelector=metadata.name%3D${name}`]) {
        const { items } = (await scene.send('GET', `${fill(operation, '')}?${query}`)).json();
        assert.deepEqual(
          items?.map(({ metadata }) => metadata.name),
          [name],
          query,
        );
      }
      assert.equal((await scene.send('GET', `${fill(operation, '')}?fieldSelector=bogus%3D1`)).code, 400);
    });
  }
  for (const operation of ofFamily('deleteCollection')) {
    test(`${title(operation)} labelSelector, fieldSelector`, async () => {
      const [name, other] = [scene.freshName(), scene.freshName()];
      await scene.create(operation.resource, name);
      const kept = await scene.create(operation.resource, other);
      const query = `labelSelector=made+in+(${name},${other})&fieldSelector=metadata.name%3D${name}`;
      const deleted = (await scene.send('DELETE', `${fill(operation, '')}?${query}`)).json();
      assert.deepEqual(
        deleted.items?.map(({ metadata }) => metadata.name),
        [name],
      );
      const left = await scene.send('GET', `${fill(operation, '')}/${other}`);
      assert.deepEqual(left.json(), kept);
    });
  }
  for (const operation of ofFamily('list', 'watch').filter(({ resource }) => resource !== 'componentstatuses')) {
    test(`${title(operation)} watch, resourceVersion, timeoutSeconds`, async () => {
      const [before, name] = [scene.freshName(), scene.freshName()];
      const { metadata } = await scene.create(operation.resource, before);
      const from = `watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=7`;
      const watch = await scene.watch(`${fill(operation, name)}?${from}`);
      await scene.create(operation.resource, name);
      const event = await watch.next();
      assert.equal(`${event?.type} ${event?.object.metadata.name}`, `ADDED ${name}`);
      scene.clock.step(7_000);
      assert.equal(await watch.next(), undefined);
    });
  }
});

describe('what is not promised is not there', limit, () => {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of all) byPath.set(path, (byPath.get(path) ?? new Set<string>()).add(method));
  for (const [path, methods] of byPath) {
    // What is proxied to may also be patched, as in the reference.
    const unnamed = path.includes('proxy') ? ['PATCH'] : [];
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      (each) => !methods.has(each) && !unnamed.includes(each),
    );
    if (others.length === 0) continue;
    test(`${path} has no ${others.join(', ')}`, async () => {
      for (const method of others) {
        const answer = await scene.send(method, fill({ path } as Operation, 'x'), { headers: mergePatch, body: {} });
        assert.equal(answer.code, 405, method);
        const allowed = (answer.headers.allow ?? '')
          .split(', ')
          .filter((each) => each !== 'HEAD' && each !== 'OPTIONS');
        assert.deepEqual(allowed.sort(), [...methods].filter((each) => each !== 'HEAD' && each !== 'OPTIONS').sort());
      }
    });
  }
  const objects = ofFamily('read');
  for (const operation of objects) {
    test(`${operation.path} has no part that it is not said to have`, async () => {
      for (const part of ['nothing', 'status/more', 'Status', 'constructor']) {
        assert.equal((await scene.send('GET', `${fill(operation, 'x')}/${part}`)).code, 404, part);
      }
    });
  }
  test('resources, groups and scopes that are not named lead nowhere', async () => {
    for (const path of [
      '/api/v1/nothings',
      `/api/v1/namespaces/${namespace}/nothings/x`,
      '/apis/extensions/v1beta1/nothings',
      '/apis/extensions/v2/jobs',
      '/apis/nothing/v1/jobs',
      '/api/v2/pods',
      `/api/v1/namespaces/${namespace}/nodes`,
      '/api/v1/watch/nothings',
      '/api/v1/watch/componentstatuses',
      '/api/v1/watch/bindings',
      '/api/v1/bindings',
      '/api/v1/pods/x',
      `/api/v1/proxy/namespaces/${namespace}/secrets/x`,
      '/api/v1/proxy/pods/x',
      `/apis/extensions/v1beta1/namespaces/${namespace}/replicationcontrollers/x`,
    ]) {
      const answer = await scene.send('GET', path);
      assert.equal(answer.code, 404, path);
      assert.equal(answer.json().reason, 'NotFound', path);
    }
  });
});
