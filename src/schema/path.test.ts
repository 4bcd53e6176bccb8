import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Path } from './path.ts';

test('a path is written with dots, positions and keys', () => {
  assert.equal(Path.root.toString(), '');
  assert.equal(Path.of('spec', 'containers').index(0).at('image').toString(), 'spec.containers[0].image');
  assert.equal(Path.of('metadata').at('labels').key('app').toString(), 'metadata.labels[app]');
  assert.equal(Path.root.index(2).toString(), '[2]');
});

test('a path can be gone on from more than once', () => {
  const spec = Path.of('spec');
  assert.equal(spec.at('a').toString(), 'spec.a');
  assert.equal(spec.at('b').toString(), 'spec.b');
});
