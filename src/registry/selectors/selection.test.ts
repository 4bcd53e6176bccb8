import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, type ConfigMap } from '../../kinds/core/config-map.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { parseSelection, Selection } from './selection.ts';

const object: ConfigMap = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'settings', namespace: 'here', labels: { app: 'web' } },
};
const selectable = { labels: { app: 'web' }, fields: { 'metadata.name': 'settings', 'metadata.namespace': 'here' } };

test('labels and fields must both match', () => {
  const cases: [string, string, boolean][] = [
    ['app=web', 'metadata.name=settings', true],
    ['app=db', 'metadata.name=settings', false],
    ['app=web', 'metadata.name=other', false],
    ['', 'metadata.name=settings', true],
    ['app', '', true],
  ];
  for (const [labelSelector, fieldSelector, expected] of cases) {
    const selection = parseSelection({ labelSelector, fieldSelector }, configMap);
    assert.equal(selection.matches(selectable), expected);
    assert.equal(selection.matchesObject(object), expected);
  }
});

test('absent and empty selectors select everything', () => {
  for (const texts of [{}, { labelSelector: '', fieldSelector: '' }]) {
    const selection = parseSelection(texts, configMap);
    assert.equal(selection, Selection.everything);
    assert.equal(selection.isEverything, true);
    assert.equal(selection.matchesObject(object), true);
  }
  assert.equal(parseSelection({ labelSelector: 'a' }, configMap).isEverything, false);
});

test('a selection by name or namespace says so', () => {
  const selection = parseSelection({ fieldSelector: 'metadata.name=a,metadata.namespace=b' }, configMap);
  assert.equal(selection.name, 'a');
  assert.equal(selection.namespace, 'b');
  assert.equal(parseSelection({ fieldSelector: 'metadata.name!=a' }, configMap).name, undefined);
  assert.equal(Selection.everything.name, undefined);
});

test('either selector can be what is refused', () => {
  for (const texts of [{ labelSelector: 'a=b=c' }, { fieldSelector: 'bogus=1' }]) {
    assert.throws(
      () => parseSelection(texts, configMap),
      (error) => error instanceof ApiError && error.code === 400,
    );
  }
});
