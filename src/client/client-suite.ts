import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { configMap, type ConfigMap } from '../kinds/core/config-map.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { pod, type Pod } from '../kinds/core/pod.ts';
import { replicationController } from '../kinds/core/replication-controller.ts';
import { podMetrics } from '../kinds/metrics/pod-metrics.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { Storage } from '../storage/storage.ts';
import type { Client } from './client.ts';
import { WatchRecord } from './testing/watch-record.ts';

export interface SuiteSubject {
  readonly client: Client;
  readonly storage: Storage;
  close(): Promise<void>;
}

/** What every make of the client promises. */
export function clientSuite(make: string, open: () => Promise<SuiteSubject>): void {
  describe(`a client ${make}`, () => {
    let subject: SuiteSubject;
    let client: Client;
    before(async () => {
      subject = await open();
      ({ client } = subject);
    });
    after(() => subject.close());
    const current = (): SuiteSubject => subject;
    readsAndWrites(() => client);
    patchesAndDeletes(() => client);
    subresources(() => client);
    watches(current);
  });
}

function settings(name: string, data: Record<string, string> = {}, labels?: Record<string, string>): ConfigMap {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'one', labels }, data };
}

function web(name: string): Pod {
  const spec = { containers: [{ name: 'web', image: 'nginx:1.9' }] };
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'one' }, spec, status: {} };
}

function refusedWith(code: number, reason: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.deepEqual([error.code, error.reason, error.status.kind], [code, reason, 'Status']);
    return true;
  };
}

function readsAndWrites(client: () => Client): void {
  test('a kind that the server does not have is refused with 404', async () => {
    // Its resource is called as that of another kind, which must not be taken for it.
    await client().create(pod, web('unmeasured'));
    await assert.rejects(client().list(podMetrics, { namespace: 'one' }), refusedWith(404, 'NotFound'));
    const name = { namespace: 'one', name: 'unmeasured' };
    await assert.rejects(client().get(podMetrics, name), refusedWith(404, 'NotFound'));
  });

  test('what was created is read back, with what the server says about it', async () => {
    const given = settings('read', { colour: 'blue' });
    const created = await client().create(configMap, given);
    assert.ok(created.metadata.uid && created.metadata.resourceVersion && created.metadata.selfLink);
    assert.equal(given.metadata.uid, undefined);
    assert.deepEqual(await client().get(configMap, { namespace: 'one', name: 'read' }), created);
  });

  test('what is returned is the own copy of whoever asked', async () => {
    const created = await client().create(configMap, settings('own', { colour: 'blue' }));
    created.data!.colour = 'red';
    const name = { namespace: 'one', name: 'own' };
    const [first, second] = [await client().get(configMap, name), await client().get(configMap, name)];
    first.data!.colour = 'green';
    assert.equal(second.data!.colour, 'blue');
    assert.equal((await client().get(configMap, name)).data!.colour, 'blue');
  });

  test('a missing object is refused with 404, naming it', async () => {
    const asking = client().get(configMap, { namespace: 'one', name: 'nowhere' });
    await assert.rejects(asking, (error: ApiError) => {
      assert.deepEqual([error.status.details?.name, error.status.details?.kind], ['nowhere', 'configmaps']);
      return refusedWith(404, 'NotFound')(error);
    });
  });

  test('a second object of the same name is refused with 409', async () => {
    await client().create(configMap, settings('twice'));
    await assert.rejects(client().create(configMap, settings('twice')), refusedWith(409, 'AlreadyExists'));
  });

  test('a wrong object is refused with 422, naming the field', async () => {
    const wrong = settings('wrong', { 'no key!': '' });
    await assert.rejects(client().create(configMap, wrong), (error: ApiError) => {
      assert.match(error.status.details?.causes?.[0]?.field ?? '', /^data/);
      return refusedWith(422, 'Invalid')(error);
    });
  });

  test('a replace from a stale version is refused with 409', async () => {
    const first = await client().create(configMap, settings('stale'));
    const second = await client().update(configMap, { ...first, data: { turn: '2' } });
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    await assert.rejects(client().update(configMap, { ...first, data: { turn: '3' } }), refusedWith(409, 'Conflict'));
  });

  test('a name without its namespace is refused before anything is sent', async () => {
    await assert.rejects(client().get(configMap, { name: 'read' }), refusedWith(400, 'BadRequest'));
    await assert.rejects(client().deleteCollection(configMap, {}), refusedWith(400, 'BadRequest'));
  });

  test('objects of the cluster have no namespace', async () => {
    const found = await client().get(namespace, { name: 'one' });
    assert.equal(found.metadata.name, 'one');
  });

  test('lists choose by namespace, labels and fields, in text or as objects', async () => {
    for (const [name, tier] of Object.entries({ l1: 'front', l2: 'back', l3: 'store' })) {
      await client().create(configMap, settings(name, {}, { list: 'yes', tier }));
    }
    const names = async (options: Parameters<Client['list']>[1]): Promise<unknown[]> =>
      (await client().list(configMap, options)).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(await names({ labels: 'list=yes,tier in (front,back)' }), ['l1', 'l2']);
    const expression = { key: 'tier', operator: 'NotIn', values: ['front'] };
    assert.deepEqual(await names({ labels: { matchLabels: { list: 'yes' }, matchExpressions: [expression] } }), [
      'l2',
      'l3',
    ]);
    assert.deepEqual(await names({ labels: 'list', fields: { 'metadata.name': 'l3' } }), ['l3']);
    assert.deepEqual(await names({ namespace: 'default', labels: 'list' }), []);
    await assert.rejects(names({ labels: 'tier in (' }), refusedWith(400, 'BadRequest'));
  });

  test('a list can be read in parts, all of one revision', async () => {
    for (const name of ['p1', 'p2', 'p3']) await client().create(configMap, settings(name, {}, { part: 'yes' }));
    const first = await client().list(configMap, { namespace: 'one', labels: 'part', limit: 2 });
    await client().create(configMap, settings('p4', {}, { part: 'yes' }));
    const options = { namespace: 'one', labels: 'part', limit: 2, continue: first.continue };
    const second = await client().list(configMap, options);
    const items = [...first.items, ...second.items];
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['p1', 'p2', 'p3'],
    );
    assert.equal(second.resourceVersion, first.resourceVersion);
    assert.equal(second.continue, undefined);
  });

  test('a request whose signal is aborted is not sent', async () => {
    const reason = new Error('changed my mind');
    const asking = client().create(configMap, settings('never'), { signal: AbortSignal.abort(reason) });
    await assert.rejects(asking, reason);
    await assert.rejects(client().get(configMap, { namespace: 'one', name: 'never' }), refusedWith(404, 'NotFound'));
  });
}

function patchesAndDeletes(client: () => Client): void {
  test('a patch comes in three forms', async () => {
    await client().create(pod, web('patched'));
    const name = { namespace: 'one', name: 'patched' };
    await client().patch(pod, name, { merge: { metadata: { labels: { a: '1', b: '2' } } } });
    await client().patch(pod, name, { json: [{ op: 'remove', path: '/metadata/labels/a' }] });
    const containers = [{ name: 'web', image: 'nginx:1.10' }];
    const patched = await client().patch(pod, name, { strategic: { spec: { containers } } });
    assert.deepEqual(patched.metadata.labels, { b: '2' });
    assert.equal(patched.spec.containers[0]?.image, 'nginx:1.10');
    assert.equal(patched.spec.containers[0]?.terminationMessagePath, '/dev/termination-log');
  });

  test('a status is written through its own door only', async () => {
    const created = await client().create(pod, web('told'));
    const message = 'all is well';
    const ignored = await client().update(pod, { ...created, status: { ...created.status, message } });
    assert.equal(ignored.status.message, undefined);
    const told = await client().updateStatus(pod, { ...ignored, status: { ...ignored.status, message } });
    assert.equal(told.status.message, message);
  });

  test('a deletion that names another uid is refused with 409', async () => {
    await client().create(configMap, settings('kept'));
    const name = { namespace: 'one', name: 'kept' };
    const deleting = client().delete(configMap, name, { preconditions: { uid: 'another' } });
    await assert.rejects(deleting, refusedWith(409, 'Conflict'));
    await client().delete(configMap, name);
    await assert.rejects(client().delete(configMap, name), refusedWith(404, 'NotFound'));
  });

  test('a pod on a node is only marked, unless it is given no time', async () => {
    await client().create(pod, web('leaving'));
    const name = { namespace: 'one', name: 'leaving' };
    await client().bind({ pod: name, node: 'n1' });
    await client().delete(pod, name, { gracePeriodSeconds: 30 });
    assert.equal((await client().get(pod, name)).metadata.deletionGracePeriodSeconds, 30);
    await client().delete(pod, name, { gracePeriodSeconds: 0 });
    await assert.rejects(client().get(pod, name), refusedWith(404, 'NotFound'));
  });

  test('a collection is deleted as far as it is selected', async () => {
    for (const [name, go] of Object.entries({ c1: 'yes', c2: 'yes', c3: 'no' })) {
      await client().create(configMap, settings(name, {}, { go }));
    }
    await client().deleteCollection(configMap, { namespace: 'one', labels: 'go=yes' });
    const left = await client().list(configMap, { labels: 'go' });
    assert.deepEqual(
      left.items.map(({ metadata }) => metadata.name),
      ['c3'],
    );
  });
}

function subresources(client: () => Client): void {
  test('a pod is bound to a node once', async () => {
    await client().create(pod, web('bound'));
    const name = { namespace: 'one', name: 'bound' };
    const { uid } = (await client().get(pod, name)).metadata;
    await assert.rejects(client().bind({ pod: name, uid: 'another', node: 'n1' }), refusedWith(409, 'Conflict'));
    await client().bind({ pod: name, uid, node: 'n1', annotations: { why: 'it fits' } });
    const bound = await client().get(pod, name);
    assert.deepEqual([bound.spec.nodeName, bound.metadata.annotations?.why], ['n1', 'it fits']);
    await assert.rejects(client().bind({ pod: name, node: 'n2' }), refusedWith(409, 'Conflict'));
  });

  test('a scale is read and set without knowing the kind', async () => {
    const { metadata, ...rest } = replicationController.example;
    await client().create(replicationController, { ...rest, metadata: { ...metadata, namespace: 'one' } });
    const name = { namespace: 'one', name: metadata.name ?? '' };
    const scale = await client().getScale(replicationController, name);
    assert.equal(scale.spec?.replicas, 2);
    const changed = await client().updateScale(replicationController, name, { ...scale, spec: { replicas: 5 } });
    assert.equal(changed.spec?.replicas, 5);
    assert.equal((await client().get(replicationController, name)).spec.replicas, 5);
    const stale = client().updateScale(replicationController, name, { ...scale, spec: { replicas: 6 } });
    await assert.rejects(stale, refusedWith(409, 'Conflict'));
  });

  test('finalizers of a namespace are taken away through their own door', async () => {
    const created = await client().create(namespace, {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'brief' },
    });
    assert.deepEqual(created.spec?.finalizers, ['kubernetes']);
    const freed = await client().finalize({ ...created, spec: { finalizers: [] } });
    assert.equal(freed.spec?.finalizers, undefined);
  });
}

function watches(subject: () => SuiteSubject): void {
  test('a watch tells of every change after its revision, in order', async () => {
    const { client } = subject();
    const { resourceVersion } = await client.list(configMap);
    const record = new WatchRecord<ConfigMap>();
    const options = { namespace: 'one', labels: 'watched', resourceVersion };
    const created = await client.create(configMap, settings('w1', {}, { watched: 'yes' }));
    const handle = await client.watch(configMap, options, record);
    await client.create(configMap, settings('w2'));
    const changed = await client.update(configMap, { ...created, data: { turn: '2' } });
    await client.delete(configMap, { namespace: 'one', name: 'w1' });
    const [added, modified, deleted] = await record.take(3);
    assert.deepEqual([added?.type, modified?.type, deleted?.type], ['ADDED', 'MODIFIED', 'DELETED']);
    assert.deepEqual([added?.object, modified?.object], [created, changed]);
    assert.equal(deleted?.object.metadata.uid, created.metadata.uid);
    handle.close();
  });

  test('an object that leaves the selection is told as deleted', async () => {
    const { client } = subject();
    const created = await client.create(configMap, settings('moving', {}, { zone: 'a' }));
    const record = new WatchRecord<ConfigMap>();
    const { resourceVersion } = await client.list(configMap);
    const handle = await client.watch(configMap, { labels: 'zone=a', resourceVersion }, record);
    await client.patch(
      configMap,
      { namespace: 'one', name: 'moving' },
      { merge: { metadata: { labels: { zone: 'b' } } } },
    );
    const [event] = await record.take(1);
    assert.deepEqual([event?.type, event?.object.metadata.uid], ['DELETED', created.metadata.uid]);
    handle.close();
  });

  test('nothing is told after a watch was closed or its signal aborted', async () => {
    const { client } = subject();
    const { resourceVersion } = await client.list(configMap);
    const [closed, aborted, open] = [1, 2, 3].map(() => new WatchRecord<ConfigMap>());
    const aborting = new AbortController();
    (await client.watch(configMap, { resourceVersion }, closed!)).close();
    await client.watch(configMap, { resourceVersion, signal: aborting.signal }, aborted!);
    aborting.abort();
    const handle = await client.watch(configMap, { resourceVersion }, open!);
    await client.create(configMap, settings('unheard'));
    await open!.take(1);
    assert.deepEqual([closed!.events, aborted!.events, closed!.hasEnded, aborted!.hasEnded], [[], [], false, false]);
    handle.close();
  });

  test('a watch from a revision that is forgotten ends with 410', async () => {
    const { client, storage } = subject();
    const { resourceVersion } = await client.list(configMap);
    await client.create(configMap, settings('forgotten'));
    await client.create(configMap, settings('forgotten-too'));
    await storage.compact(await storage.revision());
    const record = new WatchRecord<ConfigMap>();
    await client.watch(configMap, { resourceVersion }, record);
    assert.equal((await record.ended)?.code, 410);
  });

  test('a watch from what is no revision is refused with 422', async () => {
    const watching = subject().client.watch(configMap, { resourceVersion: 'soon' }, new WatchRecord());
    await assert.rejects(watching, refusedWith(422, 'Invalid'));
  });
}
