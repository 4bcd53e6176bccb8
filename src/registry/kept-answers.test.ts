import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import { encodeObject } from './encoding.ts';
import { KeptAnswers } from './kept-answers.ts';
import { StoredObject } from './stored-object.ts';
import { serve } from './testing/open-registry.ts';

const served = serve(configMap);

function stored(value: string, revision: number): StoredObject {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one', namespace: 'a' }, data: { value } };
  const bytes = Buffer.from(JSON.stringify(object));
  return new StoredObject({ kind: configMap, key: '/registry/configmaps/a/one', bytes, revision });
}

test('the same object is encoded once', () => {
  const answers = new KeptAnswers();
  const object = stored('x', 7);
  const first = answers.of(object, served);
  assert.deepEqual(first, encodeObject(object, served));
  assert.equal(answers.of(object, served), first);
});

test('a changed object, and another version, are encoded anew', () => {
  const answers = new KeptAnswers();
  answers.of(stored('x', 7), served);
  const changed = stored('x', 8);
  assert.deepEqual(answers.of(changed, served), encodeObject(changed, served));
  const other = { ...served, prefix: '/apis/other/v1' };
  assert.deepEqual(answers.of(changed, other), encodeObject(changed, other));
});
