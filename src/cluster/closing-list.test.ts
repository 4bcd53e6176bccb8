import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClosingList } from './closing-list.ts';

function listOf(...names: readonly string[]): { list: ClosingList; closed: string[] } {
  const list = new ClosingList();
  const closed: string[] = [];
  for (const name of names) {
    list.add(async () => {
      closed.push(name);
      if (name.startsWith('bad')) throw new Error(name);
    });
  }
  return { list, closed };
}

test('what was opened last is closed first, once', async () => {
  const { list, closed } = listOf('a', 'b', 'c');
  await Promise.all([list.close(), list.close()]);
  assert.deepEqual(closed, ['c', 'b', 'a']);
});

test('all is closed where some of it fails, and every failure is told', async () => {
  const { list, closed } = listOf('a', 'bad 1', 'b', 'bad 2');
  await assert.rejects(list.close(), (error) => {
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(error.errors.map(String), ['Error: bad 2', 'Error: bad 1']);
    return true;
  });
  assert.deepEqual(closed, ['bad 2', 'b', 'bad 1', 'a']);
});

test('who closes after a failure hears of that, not of what follows from it', async () => {
  const { list, closed } = listOf('a', 'bad');
  await assert.rejects(list.closeAfter(new Error('the port is taken')), /the port is taken/);
  assert.deepEqual(closed, ['bad', 'a']);
});
