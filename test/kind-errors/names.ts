import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMeta, type Subject } from './subject.ts';

/** What is refused because of a name. */
export function nameRefusals(subject: Subject): void {
  const { kind, group, createdCode } = subject.served;
  const bad = ['Bad_Name', 'a/b', '-a', 'a'.repeat(300)].filter((name) => kind.nameFormat.check(name) !== undefined);

  test('a name that the kind does not allow is refused with 422', async () => {
    assert.ok(bad.length > 0);
    for (const name of bad) await subject.invalid('metadata.name', subject.post(subject.example(name)));
  });

  test('a new object without a name is refused with 422, but for limit ranges, which get one', async () => {
    for (const name of [undefined, '']) {
      const post = subject.post(subject.example(name));
      if (kind.resource === 'limitranges') assert.ok((await subject.taken(post)).metadata.name);
      else await subject.invalid('metadata.name', post);
    }
  });

  test('a name is made from generateName', async () => {
    const generateName = `${subject.freshName()}-`;
    const body = withMeta(subject.example(undefined), { generateName });
    const answers = [await subject.taken(subject.post(body)), await subject.taken(subject.post(body))];
    const [first, second] = answers.map(({ metadata }) => metadata.name ?? '');
    assert.notEqual(first, second);
    for (const name of [first, second]) assert.match(name!, new RegExp(`^${generateName}[a-z0-9]{5}$`));
    assert.equal(answers[0]?.metadata.generateName, generateName);
  });

  test('a generateName that cannot begin a name is refused with 422', async () => {
    for (const generateName of bad.filter((name) => kind.nameFormat.check(name.replace(/-$/, 'a')) !== undefined)) {
      await subject.invalid(
        'metadata.generateName',
        subject.post(withMeta(subject.example(undefined), { generateName })),
      );
    }
  });

  test('a name that is taken is refused with 409 and named', async () => {
    const { metadata } = await subject.create();
    const { reason, details } = await subject.refused(409, subject.post(subject.example(metadata.name)));
    assert.equal(reason, 'AlreadyExists');
    assert.deepEqual([details.name, details.kind, details.group ?? ''], [metadata.name, kind.resource, group]);
  });

  test('a name in the body that is not the one of the path is refused with 400', async () => {
    const object = await subject.create();
    const name = object.metadata.name!;
    for (const other of ['another', '', undefined]) {
      await subject.refused(400, subject.put(name, withMeta(object, { name: other })));
    }
    await subject.refused(400, subject.patch(name, { metadata: { name: 'another' } }));
    await subject.refused(400, subject.patch(name, { metadata: { name: null } }));
  });

  test('what is not there cannot be read, patched or deleted', async () => {
    const name = subject.freshName();
    for (const call of [subject.get(name), subject.patch(name, {}), subject.remove(name)]) {
      const { reason, details } = await subject.refused(404, call);
      assert.equal(reason, 'NotFound');
      assert.deepEqual([details.name, details.kind, details.group ?? ''], [name, kind.resource, group], call.method);
    }
  });

  test('a replace of what is not there creates it or is refused with 404, as the kind has it', async () => {
    const name = subject.freshName();
    const call = subject.put(name, subject.example(name));
    if (!kind.createsOnUpdate) {
      const { details } = await subject.refused(404, call);
      assert.equal(details.name, name);
      return;
    }
    const answer = await subject.send(call);
    assert.equal(answer.code, createdCode, answer.text);
    assert.ok(answer.json().metadata.uid);
    subject.created.add(name);
  });
}
