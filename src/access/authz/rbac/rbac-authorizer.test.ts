import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole } from '../../../kinds/rbac/cluster-role.ts';
import { roleBinding } from '../../../kinds/rbac/role-binding.ts';
import { role } from '../../../kinds/rbac/role.ts';
import type { User } from '../../../registry/write.ts';
import { accountGroups, accountUserName } from '../../authn/account-name.ts';
import { openBench, user, type AccessBench } from '../../testing/open-bench.ts';
import type { RequestAction } from '../request-action.ts';

const readPods = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }];
const jane = user('jane', 'builders');

async function may(bench: AccessBench, who: User, action: Partial<RequestAction>): Promise<boolean> {
  const whole = { verb: 'list', path: '', group: '', resource: 'pods', namespace: 'one', ...action };
  return (await bench.authorizer.authorize(who, whole)).allowed;
}

function bindingFor(subject: object, roleRef: object = { kind: 'ClusterRole', name: 'reader' }): object {
  return { metadata: { name: 'b' }, subjects: [subject], roleRef };
}

describe('a role', () => {
  test('that is given in a namespace holds there only', async () => {
    const bench = await openBench();
    await bench.grantIn('one', 'reader', readPods, jane);
    assert.equal(await may(bench, jane, {}), true);
    assert.equal(await may(bench, jane, { namespace: 'two' }), false);
    assert.equal(await may(bench, jane, { namespace: undefined }), false);
    assert.equal(await may(bench, user('john'), {}), false);
  });

  test('that is given in the cluster holds everywhere', async () => {
    const bench = await openBench();
    await bench.grant('reader', readPods, jane);
    for (const namespace of ['one', 'two', undefined]) assert.equal(await may(bench, jane, { namespace }), true);
    assert.equal(await may(bench, jane, { verb: 'delete' }), false);
  });

  test('of the cluster can be given in a namespace, where its paths mean nothing', async () => {
    const bench = await openBench();
    const rules = [...readPods, { verbs: ['get'], nonResourceURLs: ['/metrics'] }];
    await bench.create(clusterRole, { metadata: { name: 'reader' }, rules });
    await bench.create(roleBinding, bindingFor({ kind: 'User', name: 'jane' }));
    assert.equal(await may(bench, jane, {}), true);
    assert.equal(await may(bench, jane, { namespace: 'two' }), false);
    assert.equal((await bench.authorizer.authorize(jane, { verb: 'get', path: '/metrics' })).allowed, false);
  });

  test('of a namespace is not that of the same name in another one, nor in the cluster', async () => {
    const bench = await openBench();
    await bench.create(clusterRole, { metadata: { name: 'reader' }, rules: readPods });
    await bench.create(role, { metadata: { name: 'reader', namespace: 'two' }, rules: readPods });
    await bench.create(roleBinding, bindingFor({ kind: 'User', name: 'jane' }, { kind: 'Role', name: 'reader' }));
    assert.equal(await may(bench, jane, {}), false);
  });

  test('can be given to a group, and to an account of the namespace or of another one', async () => {
    const bench = await openBench();
    const robot = (namespace: string): User => ({
      name: accountUserName(namespace, 'robot'),
      groups: accountGroups(namespace),
    });
    await bench.create(clusterRole, { metadata: { name: 'reader' }, rules: readPods });
    await bench.create(roleBinding, bindingFor({ kind: 'Group', name: 'builders' }));
    assert.equal(await may(bench, jane, {}), true);
    assert.equal(await may(bench, user('builders'), {}), false);
    await bench.replace(roleBinding, bindingFor({ kind: 'ServiceAccount', name: 'robot' }));
    assert.equal(await may(bench, jane, {}), false);
    assert.equal(await may(bench, robot('one'), {}), true);
    assert.equal(await may(bench, robot('two'), {}), false);
    await bench.replace(roleBinding, bindingFor({ kind: 'ServiceAccount', name: 'robot', namespace: 'two' }));
    assert.equal(await may(bench, robot('one'), {}), false);
    assert.equal(await may(bench, robot('two'), {}), true);
    await bench.replace(roleBinding, bindingFor({ kind: 'Group', name: 'system:serviceaccounts:one' }));
    assert.equal(await may(bench, robot('one'), {}), true);
  });
});

describe('a change that was answered is in force for the next request', () => {
  test('of a role', async () => {
    const bench = await openBench();
    await bench.grant('reader', [], jane);
    assert.equal(await may(bench, jane, {}), false);
    await bench.replace(clusterRole, { metadata: { name: 'reader' }, rules: readPods });
    assert.equal(await may(bench, jane, {}), true);
    await bench.remove(clusterRole, 'reader');
    assert.equal(await may(bench, jane, {}), false);
    await bench.create(clusterRole, { metadata: { name: 'reader' }, rules: readPods });
    assert.equal(await may(bench, jane, {}), true);
  });

  test('of a binding', async () => {
    const bench = await openBench();
    await bench.grant('reader', readPods, jane);
    assert.equal(await may(bench, jane, {}), true);
    await bench.patch(clusterRoleBinding, 'reader', { subjects: [{ kind: 'User', name: 'john' }] });
    assert.equal(await may(bench, jane, {}), false);
    assert.equal(await may(bench, user('john'), {}), true);
    await bench.remove(clusterRoleBinding, 'reader');
    assert.equal(await may(bench, user('john'), {}), false);
  });
});

test('what makes no sense gives nobody any rights, and takes none from others', async () => {
  const bench = await openBench();
  await bench.grant('reader', readPods, jane);
  const wrong = [
    ['/registry/clusterroles/broken', '{'],
    ['/registry/clusterroles/odd', '{"rules":5}'],
    ['/registry/clusterrolebindings/odd', '{"subjects":[{"kind":"User","name":"john"}]}'],
  ] as const;
  for (const [key, value] of wrong) await bench.storage.create(key, Buffer.from(value));
  assert.equal(await may(bench, jane, {}), true);
  assert.equal(await may(bench, user('john'), {}), false);
});

test('members of system:masters may do everything, and nobody else learns why they may not', async () => {
  const bench = await openBench();
  const action = { verb: 'destroy', path: '', group: 'x', resource: 'y' };
  assert.equal((await bench.authorizer.authorize(user('root', 'system:masters'), action)).allowed, true);
  assert.deepEqual(await bench.authorizer.authorize(user('system:masters'), action), { allowed: false, reason: '' });
});

test('the rights of a user are listed for a namespace', async () => {
  const bench = await openBench();
  const paths = [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }];
  await bench.grant('metrics', paths, jane);
  await bench.grantIn('one', 'reader', readPods, jane);
  assert.deepEqual((await bench.authorizer.rightsOf(jane, 'one')).rules, [...paths, ...readPods]);
  assert.deepEqual((await bench.authorizer.rightsOf(jane, 'two')).rules, paths);
});
