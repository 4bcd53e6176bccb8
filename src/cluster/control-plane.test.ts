import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { deferred } from '../base/deferred.ts';
import type { Client, ObjectItems } from '../client/client.ts';
import { InProcessClient } from '../client/in-process-client.ts';
import { openClient, type ClientFixture } from '../client/testing/client-fixture.ts';
import { allControllers } from '../controllers/index.ts';
import { namespace as namespaceKind } from '../kinds/core/namespace.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { runControlPlane, type ControlPlane } from './control-plane.ts';

/** Never answers what is there. */
class SilentClient extends InProcessClient {
  readonly asked = deferred<void>();

  override list<T extends ApiObject>(): Promise<ObjectItems<T>> {
    this.asked.resolve();
    return new Promise(() => {});
  }
}

describe('the control plane', () => {
  let fixture: ClientFixture;

  beforeEach(async () => {
    fixture = await openClient();
    const metadata = { name: 'kube-system' };
    await fixture.client.create(namespaceKind, { kind: 'Namespace', apiVersion: 'v1', metadata });
  });

  afterEach(() => fixture.close());

  function run(client: Client = fixture.client): ControlPlane {
    return runControlPlane({ ...fixture, client, controllers: allControllers(), identity: 'one' });
  }

  test('is busy until what follows from a change is done', async () => {
    const plane = run();
    await plane.leading;
    await plane.settled();
    assert.equal(plane.isBusy, false);
    await fixture.client.delete(namespaceKind, { name: 'one' });
    assert.equal(plane.isBusy, true);
    await plane.settled();
    const { items } = await fixture.client.list(namespaceKind);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['default', 'kube-system'],
    );
    await plane.close();
  });

  test('can be stopped while it waits for a server that does not tell what is there', async () => {
    const silent = new SilentClient({ registry: fixture.registry, user: { name: 'tester', groups: [] } });
    const plane = run(silent);
    await silent.asked.promise;
    await plane.close();
    await assert.rejects(plane.leading, /ended before it led/);
  });
});
