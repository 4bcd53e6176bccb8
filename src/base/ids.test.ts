import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIds, seededIds, type Ids } from './ids.ts';

const uidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const suffixShape = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

function some(ids: Ids): string[] {
  return Array.from({ length: 200 }, (_, i) => (i % 2 ? ids.uid() : ids.nameSuffix()));
}

test('seeded ids are the same in every run with the same seed', () => {
  assert.deepEqual(some(seededIds(7)), some(seededIds(7)));
  assert.notDeepEqual(some(seededIds(7)), some(seededIds(8)));
});

test('uids are version 4 and suffixes have five letters that spell no word', () => {
  for (const ids of [randomIds, seededIds(0), seededIds(-1), seededIds(2 ** 32 - 1)]) {
    for (let i = 0; i < 200; i++) {
      assert.match(ids.uid(), uidShape);
      assert.match(ids.nameSuffix(), suffixShape);
    }
  }
});

test('uids do not repeat', () => {
  for (const ids of [randomIds, seededIds(1)]) {
    const uids = new Set(Array.from({ length: 10_000 }, () => ids.uid()));
    assert.equal(uids.size, 10_000);
  }
});
