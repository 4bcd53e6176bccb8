import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { nameOf } from '../../client/object-name.ts';
import { configMap, type ConfigMap } from '../../kinds/core/config-map.ts';
import { secret, type Secret } from '../../kinds/core/secret.ts';
import { controllerOf, controllerReference } from '../../kinds/meta/controller-reference.ts';
import type { OwnerReference } from '../../kinds/meta/object-meta.ts';
import { claimObjects } from './claim-objects.ts';

interface Scene extends ClientFixture {
  readonly owner: ConfigMap;
  readonly give: (name: string, labels: Record<string, string>, owners?: OwnerReference[]) => Promise<Secret>;
  readonly claim: (candidates: readonly Secret[], owner?: ConfigMap) => Promise<unknown[]>;
}

/** A config map that claims secrets: any two kinds will do. */
async function openScene(t: TestContext): Promise<Scene> {
  const fixture = await openClient();
  t.after(() => fixture.close());
  const { client } = fixture;
  const metadata = { name: 'owner', namespace: 'one' };
  const first = await client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata });
  return {
    ...fixture,
    owner: first,
    give: (name, labels, ownerReferences) =>
      client.create(secret, { ...secret.example, metadata: { name, namespace: 'one', labels, ownerReferences } }),
    async claim(candidates, owner = first) {
      const selects = (labels: Record<string, string> = {}): boolean => labels.app === 'web';
      const claimed = await claimObjects({ client, owner, ownerKind: configMap, kind: secret, selects, candidates });
      return claimed.map((each) => each.metadata.name);
    },
  };
}

const web = { app: 'web' };
const stranger = { apiVersion: 'v1', kind: 'ConfigMap', name: 'stranger', uid: 'stranger', controller: true };
const bystander = { ...stranger, uid: 'bystander', controller: undefined };

test('what matches and has no controller is adopted, other owners stay', async (t) => {
  const { give, claim, client, owner } = await openScene(t);
  const [free, owned, taken, other] = [
    await give('free', web),
    await give('owned', web, [bystander]),
    await give('taken', web, [stranger]),
    await give('other', { app: 'db' }),
  ];
  assert.deepEqual(await claim([free, owned, taken, other]), ['free', 'owned']);
  const adopted = await client.get(secret, nameOf(owned));
  assert.equal(controllerOf(adopted)?.uid, owner.metadata.uid);
  assert.equal(adopted.metadata.ownerReferences?.length, 2);
});

test('what no longer matches is released, other owners stay', async (t) => {
  const { give, claim, client, owner } = await openScene(t);
  const mine = controllerReference(configMap, owner);
  const moved = await give('moved', { app: 'db' }, [bystander, mine]);
  assert.deepEqual(await claim([moved]), []);
  const { metadata } = await client.get(secret, nameOf(moved));
  assert.deepEqual(
    metadata.ownerReferences?.map(({ uid }) => uid),
    ['bystander'],
  );
});

test('an owner that has gone, or has a successor, adopts nothing', async (t) => {
  const { give, claim, client, owner } = await openScene(t);
  const free = await give('free', web);
  await client.delete(configMap, nameOf(owner));
  assert.deepEqual(await claim([free]), []);
  await client.create(configMap, {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'owner', namespace: 'one' },
  });
  assert.deepEqual(await claim([free]), []);
  assert.equal(controllerOf(await client.get(secret, nameOf(free))), undefined);
});

test('an owner on its way out neither adopts nor releases, but knows what is its own', async (t) => {
  const { give, claim, owner } = await openScene(t);
  const mine = controllerReference(configMap, owner);
  const candidates = [await give('free', web), await give('kept', web, [mine]), await give('moved', {}, [mine])];
  const leaving = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
  assert.deepEqual(await claim(candidates, leaving), ['kept']);
});

test('what has gone, or was replaced by another of its name, is passed over', async (t) => {
  const { give, claim, client } = await openScene(t);
  const [gone, replaced] = [await give('gone', web), await give('replaced', web)];
  await client.deleteCollection(secret, { namespace: 'one' });
  const successor = await give('replaced', { app: 'db' });
  assert.deepEqual(await claim([gone, replaced]), []);
  assert.equal(controllerOf(await client.get(secret, nameOf(successor))), undefined);
});
