import assert from 'node:assert/strict';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { TurnGate } from './turn-gate.ts';

test('those who wait in one turn go on together, one step of all before the next step of any', async () => {
  const gate = new TurnGate();
  const steps: string[] = [];
  const walk = async (name: string): Promise<void> => {
    await gate.wait();
    steps.push(`${name}1`);
    await Promise.resolve();
    steps.push(`${name}2`);
  };
  const walks = [walk('a'), walk('b')];
  await Promise.resolve();
  walks.push(walk('c'));
  assert.deepEqual(steps, []);
  await endOfTurn();
  await Promise.all(walks);
  assert.deepEqual(steps, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

test('whoever comes after the gate was opened waits for the next time', async () => {
  const gate = new TurnGate();
  await gate.wait();
  let isOpen = false;
  const second = gate.wait().then(() => (isOpen = true));
  await Promise.resolve();
  assert.equal(isOpen, false);
  await second;
});
