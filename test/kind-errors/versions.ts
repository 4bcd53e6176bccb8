import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strategicPatch, withMeta, type Subject } from './subject.ts';

/** What is refused because the object is not, or is no longer, the one that was meant. */
export function versionRefusals(subject: Subject): void {
  const { kind, group } = subject.served;

  test('a new object with a resourceVersion is refused with 400', async () => {
    const body = withMeta(subject.example(subject.freshName()), { resourceVersion: '1' });
    await subject.refused(400, subject.post(body));
  });

  test('a stale resourceVersion is refused with 409 and named', async () => {
    const old = await subject.create();
    const name = old.metadata.name!;
    await subject.taken(subject.put(name, withMeta(old, { labels: { changed: 'yes' } })));
    const { resourceVersion } = old.metadata;
    const stale = { metadata: { resourceVersion, labels: { stale: 'yes' } } };
    for (const call of [
      subject.put(name, withMeta(old, { labels: { stale: 'yes' } })),
      subject.put(name, withMeta(old, { resourceVersion: '1' })),
      subject.put(name, withMeta(old, { resourceVersion: 'some text' })),
      subject.patch(name, stale),
      subject.patch(name, stale, strategicPatch),
    ]) {
      const { reason, details } = await subject.refused(409, call);
      assert.equal(reason, 'Conflict');
      assert.deepEqual([details.name, details.kind, details.group ?? ''], [name, kind.resource, group]);
    }
    const { labels } = (await subject.taken(subject.get(name))).metadata;
    assert.deepEqual(labels, { changed: 'yes' });
  });

  test('a replace without a resourceVersion is taken or refused with 422, as the kind has it', async () => {
    const object = await subject.create();
    const name = object.metadata.name!;
    const body = withMeta(object, { resourceVersion: undefined, labels: { changed: 'yes' } });
    if (kind.requiresVersionOnUpdate) await subject.invalid('metadata.resourceVersion', subject.put(name, body));
    else assert.equal((await subject.taken(subject.put(name, body))).metadata.labels?.['changed'], 'yes');
  });

  test('another uid is refused with 422', async () => {
    const object = await subject.create();
    const name = object.metadata.name!;
    const uid = '00000000-0000-4000-8000-000000000000';
    await subject.invalid('metadata.uid', subject.put(name, withMeta(object, { uid })));
    await subject.invalid('metadata.uid', subject.patch(name, { metadata: { uid } }));
    assert.equal((await subject.taken(subject.get(name))).metadata.uid, object.metadata.uid);
  });

  test('only the server says when an object was made and when it goes', async () => {
    const object = await subject.create();
    const name = object.metadata.name!;
    const deletionTimestamp = '2001-01-01T00:00:00Z';
    const replace = subject.put(name, withMeta(object, { deletionTimestamp }));
    const patch = subject.patch(name, { metadata: { deletionTimestamp } });
    // What goes by itself has a time of its own, which no client can move.
    if (kind.lifetimeSeconds) for (const call of [replace, patch]) await subject.taken(call);
    else for (const call of [replace, patch]) await subject.invalid('metadata.deletionTimestamp', call);
    const graced = subject.put(name, withMeta(object, { deletionGracePeriodSeconds: 7 }));
    await subject.invalid('metadata.deletionGracePeriodSeconds', graced);
    await subject.taken(subject.put(name, withMeta(object, { creationTimestamp: deletionTimestamp })));
    assert.deepEqual(await subject.taken(subject.get(name)), object);
  });

  test('a delete of another object of that name is refused with 409', async () => {
    const { metadata } = await subject.create();
    const name = metadata.name!;
    const uid = '00000000-0000-4000-8000-000000000000';
    const { reason, details } = await subject.refused(409, subject.remove(name, { preconditions: { uid } }));
    assert.equal(reason, 'Conflict');
    assert.equal(details.name, name);
    await subject.refused(409, subject.remove(name, { preconditions: { resourceVersion: '1' } }));
    await subject.taken(subject.remove(name, { preconditions: { uid: metadata.uid } }));
  });

  test('options that are none stop a delete with 400 or 422', async () => {
    const { metadata } = await subject.create();
    const name = metadata.name!;
    for (const body of [{ kind: 'Pod' }, { gracePeriodSeconds: 'soon' }, { preconditions: ['a'] }, '[]', '{']) {
      await subject.refused(400, subject.remove(name, body));
    }
    await subject.refused(400, { ...subject.remove(name), path: `${subject.collection()}/${name}?dryRun=some` });
    assert.equal((await subject.taken(subject.get(name))).metadata.uid, metadata.uid);
  });
}
