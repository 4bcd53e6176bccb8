import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { RecentMap } from './recent-map.ts';

function words(most: number): RecentMap<string, string> {
  return new RecentMap<string, string>({ most, weightOf: (word) => word.length });
}

test('what is used stays, and what is not goes, once there is too much', () => {
  const map = words(20);
  map.set('used', 'aaaa');
  map.set('unused', 'bbbb');
  for (const key of ['1', '2', '3', '4', '5', '6']) {
    assert.equal(map.get('used'), 'aaaa', key);
    map.set(key, 'cccc');
  }
  assert.equal(map.get('unused'), undefined);
});

test('a value that takes more than its part is not kept, nor the one before it', () => {
  const map = words(8);
  map.set('a', 'aa');
  map.set('a', 'aaaaa');
  assert.equal(map.get('a'), undefined);
});

test('it never gives anything but what was set last, and never holds too much', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ do: fc.constant('set' as const), key, value: fc.string({ minLength: 1, maxLength: 6 }) }),
    fc.record({ do: fc.constant('get' as const), key }),
    fc.record({ do: fc.constant('delete' as const), key }),
  );
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const map = words(12);
    const model = new Map<string, string>();
    for (const one of steps) {
      if (one.do === 'set') {
        map.set(one.key, one.value);
        model.set(one.key, one.value);
      } else if (one.do === 'delete') {
        map.delete(one.key);
        model.delete(one.key);
      }
      const found = map.get(one.key);
      assert.ok(found === undefined || found === model.get(one.key));
      if (one.do === 'set') assert.equal(found, one.value);
    }
    const held = ['a', 'b', 'c', 'd'].map((each) => map.get(each)?.length ?? 0);
    assert.ok(held.reduce((sum, length) => sum + length) <= 12);
  });
  fc.assert(property);
});
