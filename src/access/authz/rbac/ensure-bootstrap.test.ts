import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole } from '../../../kinds/rbac/cluster-role.ts';
import { roleBinding } from '../../../kinds/rbac/role-binding.ts';
import type { User } from '../../../registry/write.ts';
import { anonymousUser } from '../../authn/anonymous.ts';
import { master, openBench, user, type AccessBench } from '../../testing/open-bench.ts';
import { autoUpdateAnnotation } from './bootstrap-metadata.ts';
import { ensureBootstrapPolicy } from './ensure-bootstrap.ts';

const write = { user: master, dryRun: false, fieldValidation: 'Strict' } as const;

async function started(): Promise<AccessBench> {
  const bench = await openBench();
  await ensureBootstrapPolicy(bench.registry, write);
  return bench;
}

describe('the roles that every cluster has', () => {
  test('are not written again by a second start', async () => {
    const bench = await started();
    const revision = await bench.storage.revision();
    await ensureBootstrapPolicy(bench.registry, write);
    assert.equal(await bench.storage.revision(), revision);
  });

  test('come back when they were deleted, and get back what was taken from them', async () => {
    const bench = await started();
    const node = await bench.get(clusterRole, 'system:node');
    await bench.remove(clusterRoleBinding, 'system:discovery');
    await bench.patch(clusterRole, 'system:node', { rules: [] });
    await bench.patch(clusterRoleBinding, 'system:basic-user', { subjects: [] });
    await ensureBootstrapPolicy(bench.registry, write);
    assert.equal((await bench.get(clusterRoleBinding, 'system:discovery')).roleRef.name, 'system:discovery');
    assert.deepEqual((await bench.get(clusterRole, 'system:node')).rules, node.rules);
    assert.equal((await bench.get(clusterRoleBinding, 'system:basic-user')).subjects?.length, 1);
  });

  test('keep what users added, and are left alone when they say so', async () => {
    const bench = await started();
    const own = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };
    await bench.patch(clusterRole, 'system:kube-dns', { rules: [own], metadata: { labels: { mine: 'yes' } } });
    await bench.patch(clusterRole, 'system:node', {
      rules: [own],
      metadata: { annotations: { [autoUpdateAnnotation]: 'false' } },
    });
    await ensureBootstrapPolicy(bench.registry, write);
    const dns = await bench.get(clusterRole, 'system:kube-dns');
    assert.deepEqual([dns.rules?.[0], dns.rules?.length, dns.metadata.labels?.['mine']], [own, 2, 'yes']);
    assert.deepEqual((await bench.get(clusterRole, 'system:node')).rules, [own]);
  });

  test('are bound anew where a binding leads to another role', async () => {
    const bench = await openBench();
    const roleRef = { kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ kind: 'Group', name: 'system:unauthenticated' }];
    await bench.create(clusterRoleBinding, { metadata: { name: 'system:discovery' }, subjects, roleRef });
    await ensureBootstrapPolicy(bench.registry, write);
    const binding = await bench.get(clusterRoleBinding, 'system:discovery');
    assert.equal(binding.roleRef.name, 'system:discovery');
    assert.deepEqual(
      binding.subjects?.map(({ name }) => name),
      ['system:authenticated'],
    );
  });
});

describe('who may do what in a new cluster', () => {
  const rbac = 'rbac.authorization.k8s.io';
  const jane = user('jane');
  const known = user('known');
  const scheduler = user('system:kube-scheduler');
  const manager = user('system:kube-controller-manager');

  const roles: [role: string, verb: string, resource: string, group: string, allowed: boolean][] = [
    ['view', 'list', 'pods', '', true],
    ['view', 'get', 'pods/log', '', true],
    ['view', 'list', 'deployments', 'extensions', true],
    ['view', 'list', 'pods', 'metrics.k8s.io', true],
    ['view', 'delete', 'pods', 'metrics.k8s.io', false],
    ['view', 'list', 'secrets', '', false],
    ['view', 'create', 'pods', '', false],
    ['view', 'create', 'pods/exec', '', false],
    ['view', 'list', 'roles', rbac, false],
    ['edit', 'list', 'pods', '', true],
    ['edit', 'delete', 'pods', '', true],
    ['edit', 'get', 'secrets', '', true],
    ['edit', 'create', 'pods/exec', '', true],
    ['edit', 'patch', 'deployments', 'extensions', true],
    ['edit', 'update', 'deployments/scale', 'extensions', true],
    ['edit', 'update', 'replicationcontrollers/scale', '', true],
    ['edit', 'update', 'resourcequotas', '', false],
    ['edit', 'create', 'rolebindings', rbac, false],
    ['edit', 'update', 'pods/status', '', false],
    ['edit', 'delete', 'namespaces', '', false],
    ['admin', 'create', 'rolebindings', rbac, true],
    ['admin', 'delete', 'deployments', 'extensions', true],
    ['admin', 'create', 'clusterroles', rbac, false],
    ['admin', 'get', 'pods', 'metrics.k8s.io', true],
    ['admin', 'list', 'nodes', '', false],
    ['cluster-admin', 'delete', 'nodes', '', true],
  ];
  for (const [name, verb, resource, group, allowed] of roles) {
    test(`${name} in a namespace ${allowed ? 'may' : 'may not'} ${verb} ${resource}`, async () => {
      const bench = await started();
      const { authorizer } = bench;
      const subjects = [{ kind: 'User', name: 'jane' }];
      await bench.create(roleBinding, { metadata: { name }, subjects, roleRef: { kind: 'ClusterRole', name } });
      const [whole = '', subresource] = resource.split('/');
      const action = { verb, path: '', group, resource: whole, subresource };
      assert.equal((await authorizer.authorize(jane, { ...action, namespace: 'one' })).allowed, allowed);
      assert.equal((await authorizer.authorize(jane, { ...action, namespace: 'two' })).allowed, false);
      assert.equal((await authorizer.authorize(jane, action)).allowed, false);
    });
  }

  const paths: [who: string, user: User, path: string, allowed: boolean][] = [
    ['nobody known', anonymousUser, '/version', true],
    ['nobody known', anonymousUser, '/healthz', true],
    ['nobody known', anonymousUser, '/api', false],
    ['nobody known', anonymousUser, '/metrics', false],
    ['anybody known', known, '/api', true],
    ['anybody known', known, '/apis/extensions/v1beta1', true],
    ['anybody known', known, '/openapi/v2', true],
    ['anybody known', known, '/metrics', false],
    ['monitoring', user('prometheus', 'system:monitoring'), '/metrics', true],
  ];
  for (const [who, sender, path, allowed] of paths) {
    test(`${who} ${allowed ? 'may' : 'may not'} get ${path}`, async () => {
      const { authorizer } = await started();
      assert.equal((await authorizer.authorize(sender, { verb: 'get', path })).allowed, allowed);
    });
  }

  const components: [who: string, user: User, verb: string, resource: string, allowed: boolean][] = [
    ['the scheduler', scheduler, 'create', 'pods/binding', true],
    ['the scheduler', scheduler, 'watch', 'nodes', true],
    ['the scheduler', scheduler, 'list', 'secrets', false],
    ['the scheduler', scheduler, 'create', 'pods', false],
    ['the controllers', manager, 'create', 'pods', true],
    ['the controllers', manager, 'update', 'namespaces/finalize', true],
    ['the controllers', manager, 'update', 'resourcequotas/status', true],
    ['the controllers', manager, 'create', 'pods/exec', false],
    ['the controllers', manager, 'impersonate', 'users', false],
  ];
  for (const [who, sender, verb, resource, allowed] of components) {
    test(`${who} ${allowed ? 'may' : 'may not'} ${verb} ${resource}`, async () => {
      const { authorizer } = await started();
      const [whole = '', subresource] = resource.split('/');
      const action = { verb, path: '', group: '', resource: whole, subresource, namespace: 'one' };
      assert.equal((await authorizer.authorize(sender, action)).allowed, allowed);
    });
  }
});
