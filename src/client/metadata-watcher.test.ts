import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { SharedInformers } from './shared-informers.ts';
import { openClient } from './testing/client-fixture.ts';

test('of many objects only their metadata is kept, and kept up to date', async (t) => {
  const fixture = await openClient();
  const { client } = fixture;
  const informers = new SharedInformers(fixture);
  t.after(async () => {
    informers.close();
    await fixture.close();
  });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u' };
  const names = Array.from({ length: 1100 }, (_, i) => `c${String(i).padStart(4, '0')}`);
  for (const name of names) {
    const metadata = { name, namespace: 'one', labels: { app: 'web' }, ownerReferences: [owner] };
    await client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { big: 'x'.repeat(100) } });
  }
  const informer = informers.metadataOf(configMap);
  assert.equal(informers.metadataOf(configMap), informer);
  await informers.synced();
  assert.deepEqual(
    informer.list('one').map(({ metadata }) => metadata.name),
    names,
  );
  const last = informer.get('one/c1099')!;
  assert.deepEqual(Object.keys(last), ['kind', 'apiVersion', 'metadata']);
  assert.deepEqual(last.metadata.ownerReferences, [owner]);
  assert.equal(last.metadata.labels, undefined);
  await client.patch(
    configMap,
    { namespace: 'one', name: 'c1099' },
    { merge: { metadata: { ownerReferences: null } } },
  );
  assert.equal(informer.get('one/c1099')?.metadata.ownerReferences, undefined);
  await client.delete(configMap, { namespace: 'one', name: 'c1099' });
  assert.equal(informer.get('one/c1099'), undefined);
});
