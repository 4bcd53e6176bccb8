import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from './subject.ts';

/** What is refused because of how it is asked for. */
export function requestRefusals(subject: Subject): void {
  const { kind } = subject.served;

  test('a patch of another media type is refused with 415', async () => {
    const { metadata } = await subject.create();
    for (const mediaType of ['application/json', 'application/apply-patch+yaml', 'text/plain', '']) {
      const { reason } = await subject.refused(415, subject.patch(metadata.name!, {}, mediaType));
      assert.equal(reason, 'UnsupportedMediaType');
    }
  });

  test('methods that a path does not have are refused with 405, which names those that it has', async () => {
    const { metadata } = await subject.create();
    const body = subject.example(metadata.name);
    const object = subject.get(metadata.name!);
    for (const call of [
      { method: 'PUT', path: subject.collection(), body },
      { method: 'PATCH', path: subject.collection(), body: {}, mediaType: 'application/merge-patch+json' },
      { ...object, method: 'POST', body },
    ]) {
      const { reason } = await subject.refused(405, call);
      assert.equal(reason, 'MethodNotAllowed');
      assert.match(String((await subject.send(call)).headers['allow']), /GET/);
    }
    if (!kind.verbs.includes('deletecollection')) {
      await subject.refused(405, { method: 'DELETE', path: subject.collection() });
    }
  });

  test('parts that the kind does not have are not there', async () => {
    const { metadata } = await subject.create();
    const { path } = subject.get(metadata.name!);
    await subject.refused(404, { method: 'GET', path: `${path}/no-such-part` });
    if (!kind.hasStatus) await subject.refused(404, { method: 'PUT', path: `${path}/status`, body: {} });
    if (!kind.scale) await subject.refused(404, { method: 'GET', path: `${path}/scale` });
  });

  test('answers in a form that nobody speaks are refused with 406', async () => {
    const answer = await subject.accept('application/x-unheard-of');
    assert.equal(answer.code, 406);
    assert.equal(answer.json().reason, 'NotAcceptable');
  });

  test('selectors and marks in a list that cannot be read are refused', async () => {
    const path = subject.collection();
    for (const query of [
      'labelSelector=a%20b%20c',
      'fieldSelector=no.such.field%3Dx',
      'fieldSelector=metadata.name',
      'continue=x',
    ]) {
      await subject.refused(400, { method: 'GET', path: `${path}?${query}` });
    }
    await subject.refused(422, { method: 'GET', path: `${path}?watch=true&resourceVersion=soon` });
    await subject.refused(400, {
      method: 'POST',
      path: `${path}?dryRun=some`,
      body: subject.example(subject.freshName()),
    });
  });
}
