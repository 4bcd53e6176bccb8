import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { kinds } from '../src/kinds/index.ts';
import type { Kind } from '../src/kinds/kind.ts';
import type { ApiObject } from '../src/kinds/meta/object-meta.ts';
import { jsonPatch, mergePatch, strategicPatch } from '../src/server/testing/http-client.ts';
import { openScene, type Scene } from './contract/scene.ts';

const limit = { timeout: 60_000 };
let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

/** The object with one more label. */
function labelled(object: ApiObject, key: string): ApiObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [key]: 'yes' } } };
}

/** Deletes until the object is gone: some kinds go in two steps. */
async function deleteWhole(kind: Kind, path: string): Promise<void> {
  assert.equal((await scene.send('DELETE', path, { body: { gracePeriodSeconds: 0 } })).code, 200);
  const left = await scene.send('GET', path);
  if (left.code === 404) return;
  assert.equal(kind.resource, 'namespaces', 'only namespaces wait for who must still act');
  const done = await scene.send('PUT', `${path}/finalize`, { body: { ...left.json(), spec: { finalizers: [] } } });
  assert.equal(done.code, 200, done.text);
  await scene.send('DELETE', path);
}

for (const kind of kinds) {
  describe(`${kind.kind}: its example goes through every verb`, limit, () => {
    const { resource } = kind;
    const at = (name: string): string => `${scene.collectionPath(resource)}/${name}`;

    test('a new object is given an identity and is read and listed as it was answered', async () => {
      const name = scene.freshName();
      const created = await scene.create(resource, name);
      assert.equal(created.kind, kind.kind);
      assert.equal(created.metadata.selfLink, at(name));
      assert.ok(created.metadata.uid && created.metadata.resourceVersion && created.metadata.creationTimestamp);
      assert.deepEqual((await scene.send('GET', at(name))).json(), created);
      const list = (await scene.send('GET', `${scene.collectionPath(resource)}?labelSelector=made%3D${name}`)).json();
      assert.equal(list.kind, `${kind.kind}List`);
      assert.deepEqual(list.items, [created]);
    });

    test('a name that is taken is refused with 409', async () => {
      const name = scene.freshName();
      await scene.create(resource, name);
      const again = await scene.send('POST', scene.collectionPath(resource), { body: scene.example(resource, name) });
      assert.equal(again.code, 409);
      assert.equal(again.json().reason, 'AlreadyExists');
    });

    test('a replace is stored, and one that changes nothing keeps the version', async () => {
      const name = scene.freshName();
      const created = await scene.create(resource, name);
      const replaced = (await scene.send('PUT', at(name), { body: labelled(created, 'changed') })).json();
      assert.equal(replaced.metadata.labels?.changed, 'yes');
      assert.equal(replaced.metadata.uid, created.metadata.uid);
      assert.notEqual(replaced.metadata.resourceVersion, created.metadata.resourceVersion);
      assert.deepEqual((await scene.send('PUT', at(name), { body: replaced })).json(), replaced);
    });

    test('a stale resourceVersion is refused with 409', async () => {
      const name = scene.freshName();
      const created = await scene.create(resource, name);
      await scene.send('PUT', at(name), { body: labelled(created, 'first') });
      const stale = await scene.send('PUT', at(name), { body: labelled(created, 'second') });
      assert.equal(stale.code, 409);
      assert.equal(stale.json().reason, 'Conflict');
      const body = { metadata: { resourceVersion: created.metadata.resourceVersion, labels: { third: 'yes' } } };
      assert.equal((await scene.send('PATCH', at(name), { headers: mergePatch, body })).code, 409);
      const { labels } = (await scene.send('GET', at(name))).json().metadata;
      assert.deepEqual([labels?.first, labels?.second, labels?.third], ['yes', undefined, undefined]);
    });

    test('the three kinds of patches change it', async () => {
      const name = scene.freshName();
      await scene.create(resource, name);
      const merged = await scene.send('PATCH', at(name), {
        headers: mergePatch,
        body: { metadata: { labels: { a: '1' } } },
      });
      assert.equal(merged.json().metadata.labels?.a, '1');
      const body = { metadata: { labels: { a: null, b: '2' } } };
      const strategic = await scene.send('PATCH', at(name), { headers: strategicPatch, body });
      assert.deepEqual([strategic.json().metadata.labels?.a, strategic.json().metadata.labels?.b], [undefined, '2']);
      const operations = [{ op: 'replace', path: '/metadata/labels/b', value: '3' }];
      const operated = await scene.send('PATCH', at(name), { headers: jsonPatch, body: operations });
      assert.equal(operated.json().metadata.labels?.b, '3');
      assert.deepEqual((await scene.send('GET', at(name))).json(), operated.json());
    });

    test('a dry run answers and stores nothing', async () => {
      const name = scene.freshName();
      const body = scene.example(resource, name);
      const dry = await scene.send('POST', `${scene.collectionPath(resource)}?dryRun=All`, { body });
      assert.equal(dry.code, scene.createdCode(resource));
      assert.equal((await scene.send('GET', at(name))).code, 404);
      const created = await scene.create(resource, name);
      const tried = await scene.send('PUT', `${at(name)}?dryRun=All`, { body: labelled(created, 'tried') });
      assert.equal(tried.json().metadata.labels?.tried, 'yes');
      assert.equal((await scene.send('DELETE', `${at(name)}?dryRun=All`)).code, 200);
      assert.deepEqual((await scene.send('GET', at(name))).json(), created);
    });

    test('a watch sees all that happens to it', async () => {
      const name = scene.freshName();
      const watch = await scene.watch(`${scene.collectionPath(resource)}?watch=true&labelSelector=made%3D${name}`);
      const created = await scene.create(resource, name);
      assert.deepEqual(await watch.next(), { type: 'ADDED', object: created });
      const replaced = (await scene.send('PUT', at(name), { body: labelled(created, 'changed') })).json();
      assert.deepEqual(await watch.next(), { type: 'MODIFIED', object: replaced });
      await deleteWhole(kind, at(name));
      let last = await watch.next();
      while (last?.type === 'MODIFIED') last = await watch.next();
      assert.equal(`${last?.type} ${last?.object.metadata.uid}`, `DELETED ${created.metadata.uid}`);
      watch.close();
    });

    test('what is deleted is gone, and the name is free again', async () => {
      const name = scene.freshName();
      const created = await scene.create(resource, name);
      await deleteWhole(kind, at(name));
      for (const method of ['GET', 'DELETE']) {
        const answer = await scene.send(method, at(name));
        assert.equal(answer.code, 404, method);
        assert.equal(answer.json().details?.name, name);
      }
      assert.notEqual((await scene.create(resource, name)).metadata.uid, created.metadata.uid);
    });

    test('a delete answers with the object or with a Status, as the kind has it', async () => {
      const name = scene.freshName();
      await scene.create(resource, name);
      const answer = (await scene.send('DELETE', at(name))).json();
      assert.equal(answer.kind, kind.deleteAnswersObject ? kind.kind : 'Status');
    });

    if (kind.hasStatus) {
      test('its status is written through /status, and nothing else of it', async () => {
        const name = scene.freshName();
        const created = await scene.create(resource, name);
        const { spec, ...rest } = created;
        const answer = await scene.send('PUT', `${at(name)}/status`, { body: rest });
        assert.equal(answer.code, 200, answer.text);
        assert.equal(answer.json().metadata.selfLink, `${at(name)}/status`);
        const stored = (await scene.send('GET', at(name))).json();
        assert.equal(stored.metadata.selfLink, at(name));
        assert.deepEqual(stored.spec, spec);
        assert.equal((await scene.send('GET', `${at(name)}/status`)).code, 405);
      });
    }

    test('an unknown field is dropped with a warning, or refused when that is asked for', async () => {
      const name = scene.freshName();
      const body = { ...scene.example(resource, name), noSuchField: 1 };
      const strict = await scene.send('POST', `${scene.collectionPath(resource)}?fieldValidation=Strict`, { body });
      assert.equal(strict.code, 400);
      const lenient = await scene.send('POST', scene.collectionPath(resource), { body });
      assert.equal(lenient.code, scene.createdCode(resource));
      assert.match(String(lenient.headers.warning), /noSuchField/);
      assert.equal(lenient.json().noSuchField, undefined);
    });
  });
}
