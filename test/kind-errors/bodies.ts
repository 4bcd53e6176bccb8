import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPatch, withMeta, type Subject } from './subject.ts';

/** What is refused because of what stands in the body. */
export function bodyRefusals(subject: Subject): void {
  const { kind, apiVersion } = subject.served;

  test('a body of another kind or version is refused with 400', async () => {
    const example = subject.example(subject.freshName());
    const object = await subject.create();
    const name = object.metadata.name!;
    for (const other of [{ kind: 'Other' }, { apiVersion: 'other/v1' }, { kind: `${kind.kind}List` }]) {
      const { reason, message } = await subject.refused(400, subject.post({ ...example, ...other }));
      assert.equal(reason, 'BadRequest');
      assert.match(message, other.kind ? new RegExp(kind.kind) : new RegExp(apiVersion));
      await subject.refused(400, subject.put(name, { ...object, ...other }));
      await subject.refused(400, subject.patch(name, other));
    }
  });

  test('a body may leave out what it is', async () => {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = subject.example(subject.freshName());
    const created = await subject.taken(subject.post(rest));
    assert.deepEqual([created.kind, created.apiVersion], [kind.kind, apiVersion]);
  });

  test('a body that is no object is refused with 400', async () => {
    const { metadata } = await subject.create();
    for (const body of ['', '[]', 'null', '"text"', '7', '{', '{"metadata":{}', '{"a":1,"a":2}']) {
      await subject.refused(400, { ...subject.post(body), mediaType: 'application/json' });
      await subject.refused(400, { ...subject.put(metadata.name!, body), mediaType: 'application/json' });
    }
  });

  test('values of another type are refused with 400 and named', async () => {
    const example = subject.example(subject.freshName());
    const wrong: [object, RegExp][] = [
      [{ ...example, metadata: ['a'] }, /metadata/],
      [withMeta(example, { labels: { a: 1 } }), /metadata\.labels/],
      [withMeta(example, { annotations: ['a'] }), /metadata\.annotations/],
      [withMeta(example, { finalizers: 'a' }), /metadata\.finalizers/],
      [withMeta(example, { name: 7 }), /metadata\.name/],
      [withMeta(example, { creationTimestamp: 'yesterday' }), /metadata\.creationTimestamp/],
    ];
    for (const [body, field] of wrong) assert.match((await subject.refused(400, subject.post(body))).message, field);
  });

  test('labels and annotations that are none are refused with 422', async () => {
    const object = await subject.create();
    const name = object.metadata.name!;
    const wrong: [string, object][] = [
      ['metadata.labels', { labels: { 'not a key': 'x' } }],
      ['metadata.labels', { labels: { key: 'not a value!' } }],
      ['metadata.labels', { labels: { [`${'p'.repeat(254)}/key`]: 'x' } }],
      ['metadata.annotations', { annotations: { 'not a key': 'x' } }],
      ['metadata.annotations', { annotations: { key: 'x'.repeat(256 * 1024) } }],
    ];
    for (const [field, metadata] of wrong) {
      await subject.invalid(field, subject.post(withMeta(subject.example(subject.freshName()), metadata)));
      await subject.invalid(field, subject.put(name, withMeta(object, metadata)));
      await subject.invalid(field, subject.patch(name, { metadata }));
    }
  });

  test('unknown fields are dropped with a warning, refused or dropped silently, as was asked', async () => {
    const object = await subject.create();
    const name = object.metadata.name!;
    const more = withMeta({ ...object, noSuchField: 1 }, { norThis: [] });
    const patch = { noSuchField: 1, metadata: { norThis: [] } };
    const fresh = withMeta({ ...subject.example(subject.freshName()), noSuchField: 1 }, { norThis: [] });
    for (const call of [subject.post(fresh), subject.put(name, more), subject.patch(name, patch)]) {
      const at = (mode: string): typeof call => ({ ...call, path: `${call.path}?fieldValidation=${mode}` });
      const { message } = await subject.refused(400, at('Strict'));
      assert.match(message, /noSuchField/);
      assert.match(message, /metadata\.norThis/);
      await subject.refused(400, at('Loudly'));
    }
    const warned = await subject.send(subject.put(name, more));
    assert.match(String(warned.headers['warning']), /noSuchField.*metadata\.norThis|metadata\.norThis.*noSuchField/);
    assert.deepEqual(warned.json(), object);
    const silent = await subject.send({
      ...subject.put(name, more),
      path: `${subject.collection()}/${name}?fieldValidation=Ignore`,
    });
    assert.equal(silent.headers['warning'], undefined);
    assert.deepEqual(silent.json(), object);
  });

  test('patches that are none, or that do not fit, are refused', async () => {
    const { metadata } = await subject.create();
    const name = metadata.name!;
    for (const body of ['[]', '7', '"x"', '', '{']) await subject.refused(400, subject.patch(name, body));
    await subject.refused(400, subject.patch(name, { op: 'add' }, jsonPatch));
    await subject.refused(400, subject.patch(name, [{ op: 'spoil', path: '/metadata' }], jsonPatch));
    const failing = [{ op: 'test', path: '/metadata/name', value: 'another' }];
    const answer = await subject.send(subject.patch(name, failing, jsonPatch));
    assert.ok(answer.code >= 400 && answer.code < 500, answer.text);
    await subject.refused(400, subject.patch(name, { metadata: [] }));
  });
}
