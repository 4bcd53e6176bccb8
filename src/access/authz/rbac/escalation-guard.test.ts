import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole } from '../../../kinds/rbac/cluster-role.ts';
import { rbacGroup } from '../../../kinds/rbac/rbac-group.ts';
import { roleBinding } from '../../../kinds/rbac/role-binding.ts';
import { role } from '../../../kinds/rbac/role.ts';
import { refusedWith } from '../../admission/testing/open-admission.ts';
import { master, openBench, user } from '../../testing/open-bench.ts';

const readPods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const deletePods = { ...readPods, verbs: ['delete'] };
const jane = user('jane');
const viewRef = { kind: 'ClusterRole', name: 'reader' };

function named(name: string, rest: object): object {
  return { metadata: { name }, ...rest };
}

describe('a role', () => {
  test('takes the rights that it gives', async () => {
    const bench = await openBench();
    await bench.grant('reader', [readPods], jane);
    await bench.create(clusterRole, named('mine', { rules: [readPods] }), jane);
    await bench.create(role, named('mine', { rules: [{ ...readPods, resourceNames: ['web'] }] }), jane);
    const refused = refusedWith(403, 'roles', 'jane', 'delete pods');
    await assert.rejects(bench.create(role, named('more', { rules: [readPods, deletePods] }), jane), refused);
    await assert.rejects(bench.replace(clusterRole, named('mine', { rules: [deletePods] }), jane), refused);
    await assert.rejects(bench.patch(role, 'mine', { rules: [deletePods] }, jane), refused);
  });

  test('of a namespace takes rights there, and one of the cluster takes them everywhere', async () => {
    const bench = await openBench();
    await bench.grantIn('one', 'reader', [readPods], jane);
    await bench.create(role, named('mine', { rules: [readPods] }), jane);
    await assert.rejects(bench.create(clusterRole, named('mine', { rules: [readPods] }), jane), refusedWith(403));
    const elsewhere = { metadata: { name: 'mine', namespace: 'two' }, rules: [readPods] };
    await assert.rejects(bench.create(role, elsewhere, jane), refusedWith(403));
  });

  test('may be changed otherwise by those who do not have its rights', async () => {
    const bench = await openBench();
    await bench.create(clusterRole, named('strong', { rules: [deletePods] }));
    const { metadata } = await bench.patch(clusterRole, 'strong', { metadata: { annotations: { a: 'b' } } }, jane);
    assert.equal(metadata.annotations?.['a'], 'b');
    // A label can put its rules into a role that jane has.
    await assert.rejects(
      bench.patch(clusterRole, 'strong', { metadata: { labels: { a: 'b' } } }, jane),
      refusedWith(403),
    );
    await bench.remove(clusterRole, 'strong', jane);
  });

  test('may be written by those who may escalate it', async () => {
    const bench = await openBench();
    const escalate = { verbs: ['escalate'], apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['x'] };
    await bench.grant('escalator', [escalate], jane);
    await bench.create(clusterRole, named('x', { rules: [deletePods] }), jane);
    await assert.rejects(bench.create(clusterRole, named('y', { rules: [deletePods] }), jane), refusedWith(403));
  });

  test('that is made of others takes all rights', async () => {
    const bench = await openBench();
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    await bench.grant('reader', [readPods], jane);
    await assert.rejects(bench.create(clusterRole, named('all', { aggregationRule }), jane), refusedWith(403));
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    await bench.grant('everything', everything, jane);
    await bench.create(clusterRole, named('all', { aggregationRule }), jane);
  });
});

for (const kind of [roleBinding, clusterRoleBinding]) {
  describe(`a ${kind.kind}`, () => {
    const subjects = [{ kind: 'User', name: 'john' }];

    test('takes the rights of its role', async () => {
      const bench = await openBench();
      await bench.create(clusterRole, named('reader', { rules: [readPods] }));
      const binding = named('b', { subjects, roleRef: viewRef });
      await assert.rejects(bench.create(kind, binding, jane), refusedWith(403, 'get,list pods'));
      await bench.grant('mine', [readPods], jane);
      await bench.create(kind, binding, jane);
    });

    test('takes them, too, when somebody is added', async () => {
      const bench = await openBench();
      await bench.create(clusterRole, named('reader', { rules: [readPods] }));
      await bench.create(kind, named('b', { subjects: [], roleRef: viewRef }));
      await bench.patch(kind, 'b', { metadata: { labels: { a: 'b' } } }, jane);
      await assert.rejects(bench.patch(kind, 'b', { subjects }, jane), refusedWith(403));
    });

    test('may be written by those who may bind its role', async () => {
      const bench = await openBench();
      await bench.create(clusterRole, named('reader', { rules: [readPods] }));
      await bench.create(clusterRole, named('other', { rules: [readPods] }));
      const bind = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['reader'] };
      await bench.grant('binder', [bind], jane);
      await bench.create(kind, named('b', { subjects, roleRef: viewRef }), jane);
      const other = { kind: 'ClusterRole', name: 'other' };
      await assert.rejects(bench.create(kind, named('c', { subjects, roleRef: other }), jane), refusedWith(403));
    });

    test('of a role that is not there is for those who may do everything', async () => {
      const bench = await openBench();
      await assert.rejects(bench.create(kind, named('b', { subjects, roleRef: viewRef }), jane), refusedWith(404));
      await bench.create(kind, named('b', { subjects, roleRef: viewRef }), master);
    });
  });
}
