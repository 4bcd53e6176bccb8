import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMeta, type Subject } from './subject.ts';

/** What is refused because of the namespace. Kinds of the cluster have none. */
export function namespaceRefusals(subject: Subject): void {
  const { kind, group } = subject.served;
  if (!kind.namespaced) return;

  test('in a missing namespace writes name the namespace, the rest the object, and a list is empty', async () => {
    const [name, missing] = [subject.freshName(), subject.freshName()];
    const path = `${subject.collection(missing)}/${name}`;
    const body = subject.example(name, missing);
    for (const call of [subject.post(body, missing), subject.put(name, body, missing), { method: 'DELETE', path }]) {
      const { reason, details } = await subject.refused(404, call);
      assert.equal(reason, 'NotFound');
      assert.deepEqual(details, { name: missing, kind: 'namespaces' }, call.method);
    }
    const mediaType = 'application/merge-patch+json';
    for (const call of [
      { method: 'GET', path },
      { method: 'PATCH', path, body: {}, mediaType },
    ]) {
      const { details } = await subject.refused(404, call);
      assert.deepEqual([details.name, details.kind, details.group ?? ''], [name, kind.resource, group], call.method);
    }
    const list = await subject.taken({ method: 'GET', path: subject.collection(missing) });
    assert.deepEqual(list.items, []);
  });

  test('a terminating namespace takes nothing new, but changes and deletions', async () => {
    const namespace = await subject.createNamespace();
    const name = subject.freshName();
    const object = await subject.create(name, namespace);
    await subject.taken({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    const another = subject.freshName();
    const { reason, details } = await subject.refused(
      403,
      subject.post(subject.example(another, namespace), namespace),
    );
    assert.equal(reason, 'Forbidden');
    assert.deepEqual([details.name, details.kind, details.group ?? ''], [another, kind.resource, group]);
    const labelled = withMeta(object, { labels: { changed: 'yes' } });
    const replaced = await subject.taken(subject.put(name, labelled, namespace));
    assert.equal(replaced.metadata.labels?.['changed'], 'yes');
    await subject.taken({ method: 'DELETE', path: `${subject.collection(namespace)}/${name}` });
  });

  test('a namespace in the body that is not the one of the path is refused with 400', async () => {
    const body = withMeta(subject.example(subject.freshName()), { namespace: 'another' });
    assert.match((await subject.refused(400, subject.post(body))).message, /another/);
    const { metadata, ...rest } = await subject.create();
    const moved = { ...rest, metadata: { ...metadata, namespace: 'another' } };
    await subject.refused(400, subject.put(metadata.name!, moved));
    await subject.refused(400, subject.patch(metadata.name!, { metadata: { namespace: 'another' } }));
  });

  test('nothing is written without a namespace', async () => {
    const path = `${subject.served.prefix}/${kind.resource}`;
    await subject.refused(405, { method: 'POST', path, body: subject.example(subject.freshName()) });
    await subject.refused(405, { method: 'DELETE', path });
  });
}
