import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { LaggingClient } from '../../client/testing/lagging-client.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import { event } from '../../kinds/core/event.ts';
import { namespace } from '../../kinds/core/namespace.ts';
import { pod } from '../../kinds/core/pod.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { kinds } from '../../kinds/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import type { ObjectMeta } from '../../kinds/meta/object-meta.ts';
import { runControllers } from '../loop/run-controllers.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { contentOrder } from './content-order.ts';
import { namespaces } from './namespace.ts';

const one = { name: 'one' };

describe('the namespace controller', () => {
  let fixture: ControllerFixture;
  let client: Client;
  beforeEach(async () => {
    fixture = await openControllers([namespaces]);
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  async function make(kind: Kind, name: string, metadata: Partial<ObjectMeta> = {}): Promise<void> {
    const involved = kind === (event as Kind) ? { involvedObject: { kind: 'Pod', namespace: 'one' } } : {};
    await client.create(kind, { ...kind.example, ...involved, metadata: { name, namespace: 'one', ...metadata } });
  }

  async function deleteNamespace(): Promise<void> {
    await client.delete(namespace, one);
    await fixture.run.settled();
  }

  async function isGone(): Promise<boolean> {
    try {
      await client.get(namespace, one);
      return false;
    } catch (error) {
      assert.ok(isApiError(error, 404), String(error));
      return true;
    }
  }

  test('an empty namespace goes at once, and others stay', async () => {
    await deleteNamespace();
    assert.equal(await isGone(), true);
    assert.equal((await client.get(namespace, { name: 'default' })).status?.phase, 'Active');
  });

  test('a namespace with objects of every kind in it goes with all of them', async () => {
    for (const kind of kinds.filter(({ namespaced }) => namespaced)) {
      for (const name of ['a', 'b']) await make(kind, name);
    }
    await deleteNamespace();
    await fixture.pass(1000);
    assert.equal(await isGone(), true);
    for (const kind of kinds)
      assert.deepEqual((await client.list(kind, { namespace: 'one' })).items, [], kind.resource);
  });

  test('pods have their grace, and the namespace goes as soon as the last one is gone', async () => {
    for (const name of ['a', 'b']) {
      await make(pod, name);
      await client.bind({ pod: { namespace: 'one', name }, node: 'n1' });
    }
    await make(configMap, 'c');
    await deleteNamespace();
    const { items } = await client.list(pod, { namespace: 'one' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.deletionGracePeriodSeconds),
      [30, 30],
    );
    assert.deepEqual((await client.list(configMap, { namespace: 'one' })).items, []);
    assert.equal((await client.get(namespace, one)).status?.phase, 'Terminating');
    await client.delete(pod, { namespace: 'one', name: 'a' }, { gracePeriodSeconds: 0 });
    await fixture.run.settled();
    assert.equal(await isGone(), false);
    await client.delete(pod, { namespace: 'one', name: 'b' }, { gracePeriodSeconds: 0 });
    await fixture.run.settled();
    assert.equal(await isGone(), true);
  });

  test('what has a finalizer is waited for', async () => {
    await make(configMap, 'held', { finalizers: ['example.com/x'] });
    await deleteNamespace();
    const held = { namespace: 'one', name: 'held' };
    assert.ok((await client.get(configMap, held)).metadata.deletionTimestamp);
    await fixture.pass(60_000);
    assert.equal(await isGone(), false);
    await client.patch(configMap, held, { merge: { metadata: { finalizers: null } } });
    await fixture.pass(16_000);
    assert.equal(await isGone(), true);
  });

  test('finalizers of others hold an empty namespace until they are taken away', async () => {
    const metadata = { name: 'held' };
    const spec = { finalizers: ['example.com/x'] };
    await client.create(namespace, { kind: 'Namespace', apiVersion: 'v1', metadata, spec });
    await client.create(configMap, { ...configMap.example, metadata: { name: 'c', namespace: 'held' } });
    await client.delete(namespace, metadata);
    await fixture.run.settled();
    const held = await client.get(namespace, metadata);
    assert.deepEqual(held.spec?.finalizers, ['example.com/x']);
    assert.deepEqual((await client.list(configMap, { namespace: 'held' })).items, []);
    await client.finalize({ ...held, spec: { finalizers: [] } });
    await fixture.run.settled();
    await assert.rejects(client.get(namespace, metadata), (error) => isApiError(error, 404));
  });

  test('a new namespace of the same name keeps what is in it, however late that is heard of', async (t) => {
    const { registry } = fixture;
    const lagging = new LaggingClient({ registry, user: { name: 'tester', groups: [] } }, namespace);
    await fixture.run.close();
    const run = runControllers([namespaces], { ...fixture, client: lagging });
    t.after(() => run.close());
    await run.settled();
    await make(pod, 'a');
    await client.bind({ pod: { namespace: 'one', name: 'a' }, node: 'n1' });
    await client.delete(namespace, one);
    await run.settled();
    lagging.hold();
    await client.finalize({ ...(await client.get(namespace, one)), spec: { finalizers: [] } });
    await client.delete(namespace, one);
    await client.create(namespace, { kind: 'Namespace', apiVersion: 'v1', metadata: one });
    await make(configMap, 'precious');
    await client.delete(pod, { namespace: 'one', name: 'a' }, { gracePeriodSeconds: 0 });
    await run.settled();
    assert.equal((await client.list(configMap, { namespace: 'one' })).items.length, 1);
    lagging.release();
    await run.settled();
    assert.equal((await client.list(configMap, { namespace: 'one' })).items.length, 1);
  });

  test('whoever makes pods goes before the pods, and events go last', () => {
    const order = contentOrder(kinds).map(({ resource }) => resource);
    const before = (a: Kind, b: Kind): boolean => order.indexOf(a.resource) < order.indexOf(b.resource);
    assert.ok(before(replicationController, pod));
    assert.ok(before(pod, configMap));
    assert.equal(order.at(-1), 'events');
    assert.deepEqual(
      order.toSorted(),
      kinds.flatMap(({ namespaced, resource }) => (namespaced ? [resource] : [])).toSorted(),
    );
  });
});
