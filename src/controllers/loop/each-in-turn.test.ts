import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachInTurn } from './each-in-turn.ts';

test('items have their turns one after the other', async () => {
  const steps: string[] = [];
  await eachInTurn(['a', 'b'], async (item) => {
    steps.push(`${item} begins`);
    await Promise.resolve();
    steps.push(`${item} ends`);
  });
  assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('one that fails keeps no other from its turn, and the first failure is told', async () => {
  const done: number[] = [];
  const work = (item: number): Promise<void> => {
    done.push(item);
    return item % 2 === 1 ? Promise.reject(new Error(`failed at ${item}`)) : Promise.resolve();
  };
  await assert.rejects(eachInTurn([0, 1, 2, 3, 4], work), { message: 'failed at 1' });
  assert.deepEqual(done, [0, 1, 2, 3, 4]);
});
