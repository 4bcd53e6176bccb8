import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { event } from '../kinds/core/event.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { service } from '../kinds/core/service.ts';
import { clusterRole } from '../kinds/rbac/cluster-role.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import { encodeList } from './encoding.ts';
import { Selection, parseSelection } from './selectors/selection.ts';
import { openRegistry, serve, shown, writeOptions } from './testing/open-registry.ts';

const mergePatch = 'application/merge-patch+json' as const;
const maps = { served: serve(configMap), namespace: 'one' };

function isApiError(code: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === code;
}

test('a created object carries uid, time, revision and path', async () => {
  const { createConfigMap } = openRegistry();
  const { metadata } = shown(await createConfigMap('a', { labels: { x: 'y' } }));
  assert.match(metadata.uid!, /^[0-9a-f-]{36}$/);
  assert.equal(metadata.creationTimestamp, '2030-01-01T00:00:00Z');
  assert.equal(metadata.resourceVersion, '1');
  assert.equal(metadata.selfLink, '/api/v1/namespaces/one/configmaps/a');
});

test('a name that is taken is refused with 409', async () => {
  const { createConfigMap } = openRegistry();
  await createConfigMap('a');
  await assert.rejects(createConfigMap('a'), isApiError(409));
});

test('a generated name is made again when it is taken', async () => {
  const first = openRegistry();
  const body = { metadata: { generateName: 'x-' } };
  const { object } = await first.registry.create(maps, { ...writeOptions, body });
  // The same seed makes the same names, so the first name of the second registry is taken.
  const second = openRegistry({ storage: first.storage });
  const { object: other } = await second.registry.create(maps, { ...writeOptions, body });
  assert.notEqual(other.key, object.key);
  assert.match(other.key, /\/x-[a-z0-9]{5}$/);
});

test('a stale resourceVersion is refused with 409, a missing one is not', async () => {
  const { registry, createConfigMap } = openRegistry();
  await createConfigMap('a');
  const put = (resourceVersion: string | undefined, value: string) =>
    registry.update(
      { ...maps, name: 'a' },
      {
        ...writeOptions,
        body: { metadata: { name: 'a', resourceVersion }, data: { value } },
      },
    );
  await put('1', 'first');
  await assert.rejects(put('1', 'second'), isApiError(409));
  const { object } = await put(undefined, 'third');
  assert.deepEqual(shown(object)['data'], { value: 'third' });
});

test('a stale resourceVersion of a wrong service counts less than what is wrong', async () => {
  const { registry } = openRegistry();
  const services = { served: serve(service), namespace: 'one' };
  const put = (port: number): Promise<unknown> => {
    const body = { metadata: { name: 'a', resourceVersion: '7' }, spec: { ports: [{ port }] } };
    return registry.update({ ...services, name: 'a' }, { ...writeOptions, body });
  };
  await registry.create(services, {
    ...writeOptions,
    body: { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
  });
  await assert.rejects(put(0), isApiError(422));
  await assert.rejects(put(81), isApiError(409));
});

test('what is wrong with the metadata of an event is told when the rest is right', async () => {
  const { registry } = openRegistry();
  const causes = async (namespace: string): Promise<unknown> => {
    const body = { metadata: { labels: { 'a b': 'c' } }, involvedObject: { namespace } };
    const refusal: unknown = await registry
      .create({ served: serve(event), namespace: 'one' }, { ...writeOptions, body })
      .catch((error: unknown) => error);
    assert.ok(refusal instanceof ApiError);
    return refusal.status.details?.causes?.map(({ field }) => field);
  };
  assert.deepEqual(await causes('two'), ['involvedObject.namespace']);
  assert.deepEqual(await causes('one'), ['metadata.labels', 'metadata.name']);
});

test('a replace that changes nothing keeps the revision', async () => {
  const { registry, createConfigMap, storage } = openRegistry();
  await createConfigMap('a', { data: { k: 'v' } });
  const body = { metadata: { name: 'a' }, data: { k: 'v' } };
  const { object } = await registry.update({ ...maps, name: 'a' }, { ...writeOptions, body });
  assert.equal(object.revision, 1);
  assert.equal(await storage.revision(), 1);
});

test('patches made at the same time all arrive', async () => {
  const { registry, createConfigMap } = openRegistry();
  await createConfigMap('a');
  const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
  await Promise.all(
    keys.map((key) =>
      registry.patch({ ...maps, name: 'a' }, { ...writeOptions, type: mergePatch, body: { data: { [key]: 'v' } } }),
    ),
  );
  const { data } = shown(await registry.get({ ...maps, name: 'a' }));
  assert.deepEqual(Object.keys(data as object).toSorted(), keys.toSorted());
});

test('a patch that names an old resourceVersion is refused with 409', async () => {
  const { registry, createConfigMap } = openRegistry();
  await createConfigMap('a');
  const body = { metadata: { resourceVersion: '99' }, data: { k: 'v' } };
  await assert.rejects(
    registry.patch({ ...maps, name: 'a' }, { ...writeOptions, type: mergePatch, body }),
    isApiError(409),
  );
});

test('a dry run checks everything and stores nothing', async () => {
  const { registry, createConfigMap, names, storage } = openRegistry();
  await createConfigMap('a');
  const dry = { ...writeOptions, dryRun: true };
  await assert.rejects(registry.create(maps, { ...dry, body: { metadata: { name: 'a' } } }), isApiError(409));
  await registry.create(maps, { ...dry, body: { metadata: { name: 'b' } } });
  await registry.update({ ...maps, name: 'a' }, { ...dry, body: { metadata: { name: 'a' }, data: { k: 'v' } } });
  await registry.delete({ ...maps, name: 'a' }, dry);
  assert.deepEqual(await names(), ['a']);
  assert.equal(await storage.revision(), 1);
});

test('unknown fields are dropped with a warning, or refused when asked to be strict', async () => {
  const { registry } = openRegistry();
  const body = { metadata: { name: 'a', colour: 'red' }, extra: 1 };
  const { warnings } = await registry.create(maps, { ...writeOptions, body });
  assert.deepEqual(warnings, ['unknown field "metadata.colour"', 'unknown field "extra"']);
  const strict = { ...writeOptions, fieldValidation: 'Strict' as const, body };
  await assert.rejects(registry.create(maps, strict), isApiError(400));
});

test('a list by selector sees every answered write', async () => {
  const { createConfigMap, names, registry } = openRegistry();
  await createConfigMap('a', { labels: { app: 'x' } });
  assert.deepEqual(await names({ labelSelector: 'app=x' }), ['a']);
  await createConfigMap('c', { labels: { app: 'x' } });
  await createConfigMap('b', { labels: { app: 'x', tier: 't' } });
  await createConfigMap('d', { labels: { app: 'y' } });
  assert.deepEqual(await names({ labelSelector: 'app=x' }), ['a', 'b', 'c']);
  assert.deepEqual(await names({ labelSelector: 'app in (x,y),!tier' }), ['a', 'c', 'd']);
  assert.deepEqual(await names({ fieldSelector: 'metadata.name=d' }), ['d']);
  assert.deepEqual(await names({ labelSelector: 'app=x', fieldSelector: 'metadata.name=d' }), []);
  await registry.delete({ ...maps, name: 'a' }, writeOptions);
  assert.deepEqual(await names({ labelSelector: 'app=x' }), ['b', 'c']);
});

for (const [title, texts] of [
  ['a list', {}],
  ['a list by selector', { labelSelector: 'app=x' }],
] as const) {
  test(`${title} read in parts is the state of one revision`, async () => {
    const { createConfigMap, registry } = openRegistry();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await createConfigMap(name, { labels: { app: 'x' } });
    const selection = parseSelection(texts, configMap);
    const first = await registry.list(maps, { selection, limit: 2 });
    await registry.delete({ ...maps, name: 'c' }, writeOptions);
    await createConfigMap('bb', { labels: { app: 'x' } });
    const second = await registry.list(maps, { selection, limit: 2, continue: first.continue });
    const third = await registry.list(maps, { selection, limit: 2, continue: second.continue });
    const seen = [first, second, third].flatMap((part) => part.entries.map(({ key }) => key.at(-1)));
    assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e']);
    assert.equal(third.continue, undefined);
    assert.deepEqual(new Set([first.revision, second.revision, third.revision]).size, 1);
  });
}

test('a continue token that is not ours is refused with 400', async () => {
  const { registry } = openRegistry();
  const request = { selection: Selection.everything, continue: 'nonsense' };
  await assert.rejects(registry.list(maps, request), isApiError(400));
});

test('a selected list that is read in parts has every object once, whatever their names', async () => {
  const { registry } = openRegistry();
  const roles = { served: serve(clusterRole) };
  const wanted = ['plain', '\uff21', '\u{1f6a3}', '\ue000', 'ünïcode'];
  for (const name of wanted) {
    await registry.create(roles, { ...writeOptions, body: { metadata: { name, labels: { app: 'x' } }, rules: [] } });
  }
  const selection = parseSelection({ labelSelector: 'app=x' }, clusterRole);
  const names: string[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const part = await registry.list(roles, { selection, limit: 3, continue: next });
    names.push(...part.entries.map(({ key }) => key.split('/').at(-1)!));
    next = part.continue;
  }
  assert.deepEqual(names.toSorted(), wanted.toSorted());
});

test('a list answer is the stored bytes with revision and path written in', async () => {
  const { createConfigMap, registry } = openRegistry();
  await createConfigMap('a', { data: { text: 'ünïcode 🚣' } });
  await createConfigMap('b');
  const list = JSON.parse(
    encodeList(await registry.list(maps, { selection: Selection.everything }))
      .whole()
      .toString(),
  );
  assert.equal(list.kind, 'ConfigMapList');
  assert.equal(list.metadata.resourceVersion, '2');
  assert.equal(list.items[0].data.text, 'ünïcode 🚣');
  assert.deepEqual(
    list.items.map((item: { metadata: { resourceVersion: string } }) => item.metadata.resourceVersion),
    ['1', '2'],
  );
});

test('a namespace waits for its finalizers, and one more delete then removes it', async () => {
  const { registry } = openRegistry();
  const namespaces = { served: serve(namespace) };
  const address = { ...namespaces, name: 'n' };
  await registry.create(namespaces, { ...writeOptions, body: { metadata: { name: 'n' } } });
  const marked = await registry.delete(address, writeOptions);
  assert.equal(marked.removed, false);
  assert.deepEqual(shown(marked.object)['status'], { phase: 'Terminating' });
  await assert.rejects(registry.delete(address, writeOptions), isApiError(409));
  const body = { metadata: { name: 'n' }, spec: { finalizers: [] } };
  await registry.update(address, { ...writeOptions, subresource: 'finalize', body });
  assert.equal((await registry.delete(address, writeOptions)).removed, true);
  await assert.rejects(registry.get(address), isApiError(404));
});

test('an object with finalizers goes when the last one is taken away', async () => {
  const { registry } = openRegistry();
  const body = { metadata: { name: 'a', finalizers: ['example.com/x'] } };
  await registry.create(maps, { ...writeOptions, body });
  const { removed } = await registry.delete({ ...maps, name: 'a' }, writeOptions);
  assert.equal(removed, false);
  const release = { ...writeOptions, type: mergePatch, body: { metadata: { finalizers: null } } };
  await registry.patch({ ...maps, name: 'a' }, release);
  await assert.rejects(registry.get({ ...maps, name: 'a' }), isApiError(404));
});

test('a delete with another uid in its preconditions is refused with 409', async () => {
  const { registry, createConfigMap } = openRegistry();
  await createConfigMap('a');
  const body = { preconditions: { uid: 'another' } };
  await assert.rejects(registry.delete({ ...maps, name: 'a' }, { ...writeOptions, body }), isApiError(409));
});

test('delete collection removes what is selected and answers with it', async () => {
  const { registry, createConfigMap, names } = openRegistry();
  await createConfigMap('a', { labels: { app: 'x' } });
  await createConfigMap('b');
  const selection = parseSelection({ labelSelector: 'app=x' }, configMap);
  const removed = await registry.deleteCollection(maps, { selection }, writeOptions);
  assert.deepEqual(
    removed.entries.map(({ key }) => key.at(-1)),
    ['a'],
  );
  assert.deepEqual(await names(), ['b']);
});
