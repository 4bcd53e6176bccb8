import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun } from '../testing/first-write.ts';
import { serviceAccount } from './service-account.ts';

test('of its secrets an account keeps the names', () => {
  const account = begun(serviceAccount, {
    secrets: [{ kind: 'Secret', namespace: 'default', name: 'x', uid: 'abc' }, { name: 'y' }],
    imagePullSecrets: [{ name: 'p' }],
  });
  assert.deepEqual(account.secrets, [{ name: 'x' }, { name: 'y' }]);
  assert.deepEqual(account.imagePullSecrets, [{ name: 'p' }]);
});
