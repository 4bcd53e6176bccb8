import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { event } from '../kinds/core/event.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { ObjectMeta } from '../kinds/meta/object-meta.ts';
import { openRegistry, serve, shown, writeOptions } from './testing/open-registry.ts';

const maps = { served: serve(configMap), namespace: 'one' };
const namespaces = { served: serve(namespace) };
const mergePatch = 'application/merge-patch+json' as const;

interface Bench {
  create(metadata: Partial<ObjectMeta>): Promise<ObjectMeta>;
  put(metadata: Partial<ObjectMeta>): Promise<ObjectMeta>;
  patch(metadata: Partial<ObjectMeta>): Promise<ObjectMeta>;
}

function open(): Bench {
  const { registry } = openRegistry();
  const body = (metadata: Partial<ObjectMeta>): object => ({ metadata: { name: 'a', ...metadata } });
  const address = { ...maps, name: 'a' };
  const metaOf = async (written: ReturnType<typeof registry.create>): Promise<ObjectMeta> =>
    shown((await written).object).metadata;
  return {
    create: (metadata) => metaOf(registry.create(maps, { ...writeOptions, body: body(metadata) })),
    put: (metadata) => metaOf(registry.update(address, { ...writeOptions, body: body(metadata) })),
    patch: (metadata) => metaOf(registry.patch(address, { ...writeOptions, type: mergePatch, body: body(metadata) })),
  };
}

function isRefusal(field: string): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === 422 && error.message.includes(field);
}

test('a resourceVersion of 0 names no version', async () => {
  const bench = open();
  await bench.create({ resourceVersion: '0' });
  const { resourceVersion } = await bench.put({ resourceVersion: '0', labels: { a: 'b' } });
  assert.equal(resourceVersion, '2');
  assert.deepEqual((await bench.patch({ resourceVersion: '0', labels: { c: 'd' } })).labels, { a: 'b', c: 'd' });
});

test('a generation that nobody counts is kept as it is sent', async () => {
  const bench = open();
  await bench.create({ generation: 7 });
  assert.equal((await bench.put({ generation: 3 })).generation, 3);
  assert.equal((await bench.put({})).generation, undefined);
  await assert.rejects(bench.put({ generation: -1 }), isRefusal('metadata.generation'));
});

test('a change is held to the rules for generateName and cannot make up a deletion', async () => {
  const bench = open();
  await bench.create({});
  await assert.rejects(bench.put({ generateName: 'Not_This' }), isRefusal('metadata.generateName'));
  await assert.rejects(bench.put({ generateName: 'not.' }), isRefusal('metadata.generateName'));
  for (const generateName of ['this-', 'this--', 'this_-']) await bench.put({ generateName });
  await assert.rejects(bench.put({ deletionTimestamp: '2001-01-01T00:00:00Z' }), isRefusal('deletionTimestamp'));
  await assert.rejects(bench.put({ deletionGracePeriodSeconds: 5 }), isRefusal('deletionGracePeriodSeconds'));
});

test('writing a part of an object leaves its generateName alone', async () => {
  const { registry } = openRegistry();
  const address = { ...namespaces, name: 'team' };
  await registry.create(namespaces, { ...writeOptions, body: { metadata: { name: 'team', generateName: 'te' } } });
  const body = { metadata: { name: 'team', generateName: '/x' }, spec: { finalizers: [] } };
  for (const subresource of ['status', 'finalize'] as const) {
    const { object } = await registry.update(address, { ...writeOptions, subresource, body });
    assert.equal(shown(object).metadata.generateName, 'te');
  }
});

test('a deletion that is under way stays as it is, whatever a change says', async () => {
  const { registry } = openRegistry();
  const address = { ...namespaces, name: 'team' };
  await registry.create(namespaces, { ...writeOptions, body: { metadata: { name: 'team' } } });
  const { object } = await registry.delete(address, writeOptions);
  const metadata = { name: 'team', labels: { a: 'b' }, deletionTimestamp: '2001-01-01T00:00:00Z' };
  const changed = await registry.update(address, { ...writeOptions, body: { metadata } });
  assert.equal(shown(changed.object).metadata.deletionTimestamp, shown(object).metadata.deletionTimestamp);
  assert.deepEqual(shown(changed.object).metadata.labels, { a: 'b' });
});

test('a namespace that nobody holds is marked by its first deletion and goes with the second', async () => {
  const { registry } = openRegistry();
  const address = { ...namespaces, name: 'team' };
  const body = { metadata: { name: 'team' }, spec: { finalizers: [] } };
  await registry.create(namespaces, { ...writeOptions, body });
  await registry.update(address, { ...writeOptions, subresource: 'finalize', body });
  const remove = () => registry.delete(address, writeOptions);
  assert.equal((await remove()).removed, false);
  assert.equal((await remove()).removed, true);
});

for (const [what, name] of [
  ['too long to be stored', 'e'.repeat(1100)],
  ['too long in bytes', 'ü'.repeat(520)],
  ['not well-formed', 'a\ud800'],
] as const) {
  test(`an event whose name is ${what} is refused with 422`, async () => {
    const { registry } = openRegistry();
    const body = { metadata: { name }, involvedObject: { namespace: 'one' } };
    const events = { served: serve(event), namespace: 'one' };
    await assert.rejects(registry.create(events, { ...writeOptions, body }), isRefusal('metadata.name'));
    const update = registry.update({ ...events, name }, { ...writeOptions, body });
    await assert.rejects(update, isRefusal('metadata.name'));
  });
}
