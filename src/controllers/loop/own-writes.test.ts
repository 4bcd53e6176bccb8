import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { OwnWrites } from './own-writes.ts';

function object(name: string, uid: string, resourceVersion: string, deletionTimestamp?: string): ApiObject {
  const metadata = { name, namespace: 'one', uid, resourceVersion, deletionTimestamp };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata };
}

/** What an informer has got to know so far. */
class Known {
  resourceVersion = '9';
  readonly objects = new Map<string, ApiObject>();

  get(key: string): ApiObject | undefined {
    return this.objects.get(key);
  }
}

test('nothing written is all seen', () => {
  assert.equal(new OwnWrites(new Known()).areSeen('k'), true);
});

test('a write is seen when the informer has come as far, by number and not by letter', () => {
  const known = new Known();
  const writes = new OwnWrites(known);
  writes.wrote('k', object('a', '1', '12'));
  writes.wrote('k', object('b', '2', '10'));
  assert.deepEqual([writes.areSeen('k'), writes.areSeen('other')], [false, true]);
  known.resourceVersion = '11';
  assert.equal(writes.areSeen('k'), false);
  known.resourceVersion = '12';
  assert.equal(writes.areSeen('k'), true);
});

test('what was written to a server that lost it all is not waited for', () => {
  const known = new Known();
  const writes = new OwnWrites(known);
  known.resourceVersion = '90';
  assert.equal(writes.areSeen('k'), true);
  writes.wrote('k', object('a', '1', '91'));
  assert.equal(writes.areSeen('k'), false);
  known.resourceVersion = '12';
  assert.equal(writes.areSeen('k'), true);
});

test('a deletion is seen when the object is gone, marked, or another one has its name', () => {
  const outcomes: readonly (ApiObject | undefined)[] = [
    undefined,
    object('a', '1', '10', '2030-01-01T00:00:00Z'),
    object('a', '2', '10'),
  ];
  for (const outcome of outcomes) {
    const known = new Known();
    const writes = new OwnWrites(known);
    const deleted = object('a', '1', '5');
    known.objects.set('one/a', deleted);
    writes.deleted('k', deleted);
    assert.equal(writes.areSeen('k'), false);
    if (outcome) known.objects.set('one/a', outcome);
    else known.objects.delete('one/a');
    assert.equal(writes.areSeen('k'), true);
  }
});

test('what is forgotten is not waited for', () => {
  const writes = new OwnWrites(new Known());
  writes.wrote('k', object('a', '1', '100'));
  writes.forget('k');
  assert.equal(writes.areSeen('k'), true);
});
