import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { user } from '../testing/open-bench.ts';
import type { Authorizer } from './authorizer.ts';
import { openAuthorizer } from './modes.ts';
import { followRoles } from './rbac/rbac-authorizer.ts';

function open(modes: readonly string[], policyFile?: string): Promise<Authorizer> {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  return openAuthorizer(modes, { storage, roles: followRoles(storage), policyFile });
}

const action = { verb: 'get', path: '', group: '', resource: 'pods', namespace: 'one', name: 'x' };
const jane = user('jane');
const root = user('root', 'system:masters');

test('AlwaysDeny refuses all but those whom nothing is refused', async () => {
  const authorizer = await open(['AlwaysDeny']);
  assert.equal((await authorizer.authorize(jane, action)).allowed, false);
  assert.equal((await authorizer.authorize(root, action)).allowed, true);
  assert.deepEqual((await authorizer.rightsOf(jane, 'one')).rules, []);
});

test('AlwaysAllow allows everything, also behind one that refuses', async () => {
  for (const modes of [['AlwaysAllow'], ['AlwaysDeny', 'AlwaysAllow'], ['RBAC', 'AlwaysAllow']]) {
    const authorizer = await open(modes);
    assert.equal((await authorizer.authorize(jane, action)).allowed, true, modes.join());
    assert.equal((await authorizer.rightsOf(jane, 'one')).rules.length, 2);
  }
});

test('a choice of modes that makes no sense is refused with a reason', async () => {
  for (const [modes, policyFile, why] of [
    [[], undefined, /at least one/],
    [['RBAC', 'Webhook'], undefined, /no authorization mode "Webhook"; known are AlwaysAllow, /],
    [['RBAC', 'RBAC'], undefined, /named twice/],
    [['ABAC'], undefined, /given together/],
    [['RBAC'], 'policies.jsonl', /given together/],
  ] as const) {
    await assert.rejects(open(modes, policyFile), (error: Error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, why);
      return true;
    });
  }
});
