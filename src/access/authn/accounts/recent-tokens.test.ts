import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentTokens } from './recent-tokens.ts';

test('what was used longest ago is forgotten first', () => {
  const recent = new RecentTokens<number>();
  for (let i = 0; i < 4096; i++) recent.set(`t${i}`, i);
  assert.equal(recent.get('t0'), 0);
  recent.set('one more', -1);
  assert.equal(recent.get('t0'), 0);
  assert.equal(recent.get('t1'), undefined);
  assert.equal(recent.get('one more'), -1);
});
