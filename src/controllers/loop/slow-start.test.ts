import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowStart } from './slow-start.ts';

test('work is done in batches that double, as often as asked', async () => {
  const turns: number[][] = [];
  let turn: number[] = [];
  const result = await slowStart(10, async (index) => {
    if (turn.length === 0) {
      turns.push(turn);
      queueMicrotask(() => (turn = []));
    }
    turn.push(index);
    await Promise.resolve();
  });
  assert.deepEqual(result, { done: 10 });
  assert.deepEqual(
    turns.map((each) => each.length),
    [1, 2, 4, 3],
  );
  assert.deepEqual(turns.flat(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('after a failure no further batch is begun', async () => {
  const failure = new Error('used up');
  let begun = 0;
  const result = await slowStart(100, (index) => {
    begun++;
    return index >= 2 ? Promise.reject(failure) : Promise.resolve();
  });
  assert.deepEqual(result, { done: 2, error: failure });
  assert.equal(begun, 3);
});

test('nothing to do is done at once', async () => {
  assert.deepEqual(await slowStart(0, () => Promise.reject(new Error('never'))), { done: 0 });
});
