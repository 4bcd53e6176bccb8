import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { Allocator } from './allocator.ts';
import { addressRange, portRange } from './value-range.ts';

function openAllocator(range = addressRange('10.1.0.0/29')): Allocator {
  return new Allocator(openMemoryStorage({ clock: new SteppedClock() }), 'test', range);
}

test('the first and the last address of a block are not given out', () => {
  const range = addressRange('10.1.2.77/24');
  assert.equal(range.size, 254);
  assert.equal(range.at(0), '10.1.2.1');
  assert.equal(range.at(253), '10.1.2.254');
  assert.equal(range.includes('10.1.2.0'), false);
  assert.equal(range.includes('10.1.2.255'), false);
  assert.equal(range.includes('10.1.3.1'), false);
  assert.equal(range.includes('10.1.2.5'), true);
  assert.equal(range.includes('10.1.2.5.6'), false);
});

for (const bad of ['10.0.0.0', '10.0.0.0/33', '10.0.0/16', '300.0.0.0/16', '10.0.0.0/31', 'x/8']) {
  test(`${bad} is no block`, () => {
    assert.throws(() => addressRange(bad), RangeError);
  });
}

for (const bad of ['30000', '5-3', '0-10', '1-70000', 'a-b', '-']) {
  test(`${bad} is no range of ports`, () => {
    assert.throws(() => portRange(bad), RangeError);
  });
}

test('every value is given out once, then none', async () => {
  const allocator = openAllocator();
  const values = await Promise.all(Array.from({ length: 6 }, (_, i) => allocator.claimAny(`holder-${i}`)));
  assert.equal(new Set(values).size, 6);
  assert.equal(await allocator.claimAny('late'), undefined);
});

test('a value that is asked for is claimed, taken or outside', async () => {
  const allocator = openAllocator();
  assert.equal(await allocator.claim('10.1.0.3', 'a'), 'claimed');
  assert.equal(await allocator.claim('10.1.0.3', 'b'), 'taken');
  assert.equal(await allocator.claim('10.1.0.7', 'b'), 'outside');
});

test('only the holder makes a value free', async () => {
  const allocator = openAllocator();
  await allocator.claim('10.1.0.3', 'a');
  await allocator.release('10.1.0.3', 'b');
  assert.deepEqual(await allocator.claims(), [{ value: '10.1.0.3', holder: 'a' }]);
  await allocator.release('10.1.0.3', 'a');
  assert.equal(await allocator.claim('10.1.0.3', 'b'), 'claimed');
});
