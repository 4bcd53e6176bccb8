import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind } from '../kind.ts';
import { begun, refusals, updateRefusals } from '../testing/first-write.ts';
import { clusterRoleBinding } from './cluster-role-binding.ts';
import { clusterRole } from './cluster-role.ts';
import { rbacName } from './rbac-name.ts';
import { roleBinding } from './role-binding.ts';
import { role } from './role.ts';

const resourceRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const pathRule = { verbs: ['get'], nonResourceURLs: ['/healthz'] };

const ruleCases: [what: string, rule: object, refused: string[]][] = [
  ['about resources', resourceRule, []],
  ['about single objects', { ...resourceRule, resourceNames: ['one'] }, []],
  ['without verbs', { ...resourceRule, verbs: [] }, ['rules[0].verbs Required']],
  ['without groups', { ...resourceRule, apiGroups: [] }, ['rules[0].apiGroups Required']],
  ['without resources', { ...resourceRule, resources: undefined }, ['rules[0].resources Required']],
  ['about paths', pathRule, []],
  ['about both', { ...resourceRule, ...pathRule }, ['rules[0].nonResourceURLs Invalid']],
  ['about nothing', { verbs: ['get'] }, ['rules[0].apiGroups Required', 'rules[0].resources Required']],
];

describe('a rule', () => {
  for (const [what, rule, refused] of ruleCases) {
    test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'} in a cluster role`, () => {
      assert.deepEqual(refusals(clusterRole, { rules: [rule] }), refused);
    });
  }

  test('about paths is refused in the role of a namespace', () => {
    assert.deepEqual(refusals(role, { rules: [resourceRule] }), []);
    assert.deepEqual(refusals(role, { rules: [resourceRule, pathRule] }), ['rules[1].nonResourceURLs Invalid']);
  });
});

test('a role without rules has an empty list of them', () => {
  assert.deepEqual(begun(role, {}).rules, []);
  assert.deepEqual(begun(clusterRole, { rules: null }).rules, []);
});

test('a role that is made of others names them with selectors that can be applied', () => {
  const selecting = (selector: object): object => ({ aggregationRule: { clusterRoleSelectors: [selector] } });
  const where = 'aggregationRule.clusterRoleSelectors';
  assert.deepEqual(refusals(clusterRole, selecting({ matchLabels: { a: 'b' } })), []);
  assert.deepEqual(refusals(clusterRole, { aggregationRule: {} }), [`${where} Required`]);
  assert.deepEqual(refusals(clusterRole, selecting({ matchLabels: { a: 'b!' } })), [`${where}[0].matchLabels Invalid`]);
  const values = { key: 'a', operator: 'In', values: ['b!'] };
  assert.deepEqual(refusals(clusterRole, selecting({ matchExpressions: [values] })), [`${where}[0] Invalid`]);
});

const roleRef = { kind: 'ClusterRole', name: 'view' };
const user = { kind: 'User', name: 'jane' };
const account = { kind: 'ServiceAccount', name: 'robot', namespace: 'one' };

const bindingCases: [what: string, body: object, refused: string[]][] = [
  ['without subjects', { roleRef }, []],
  ['without a role', { subjects: [user] }, ['roleRef Required']],
  ['with a role of another group', { roleRef: { ...roleRef, apiGroup: 'apps' } }, ['roleRef.apiGroup NotSupported']],
  ['with a role of another kind', { roleRef: { ...roleRef, kind: 'Pod' } }, ['roleRef.kind NotSupported']],
  ['with a role without a name', { roleRef: { kind: 'ClusterRole' } }, ['roleRef.name Required']],
  ['with a role whose name cannot be', { roleRef: { ...roleRef, name: 'a/b' } }, ['roleRef.name Invalid']],
  ['for an account', { roleRef, subjects: [account] }, []],
  ['for nobody', { roleRef, subjects: [{}] }, ['subjects[0].kind Required', 'subjects[0].name Required']],
  ['for a pod', { roleRef, subjects: [{ kind: 'Pod', name: 'x' }] }, ['subjects[0].kind NotSupported']],
  ['for a user of apps', { roleRef, subjects: [{ ...user, apiGroup: 'apps' }] }, ['subjects[0].apiGroup NotSupported']],
  ['for an account Robot', { roleRef, subjects: [{ ...account, name: 'Robot' }] }, ['subjects[0].name Invalid']],
];

for (const kind of [roleBinding, clusterRoleBinding] as Kind[]) {
  describe(`a ${kind.kind}`, () => {
    for (const [what, body, refused] of bindingCases) {
      test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
        assert.deepEqual(refusals(kind, body), refused);
      });
    }

    test('keeps its role, and may get other subjects', () => {
      const old = { roleRef, subjects: [user] };
      assert.deepEqual(updateRefusals(kind, old, { roleRef, subjects: [] }), []);
      assert.deepEqual(updateRefusals(kind, old, { ...old, roleRef: { ...roleRef, name: 'edit' } }), [
        'roleRef Invalid',
      ]);
    });
  });
}

test('only in a namespace can a binding leave out the namespace of an account, or name a Role', () => {
  const subjects = [{ kind: 'ServiceAccount', name: 'robot' }];
  assert.deepEqual(refusals(roleBinding, { roleRef, subjects }), []);
  assert.deepEqual(refusals(clusterRoleBinding, { roleRef, subjects }), ['subjects[0].namespace Required']);
  assert.deepEqual(refusals(roleBinding, { roleRef: { ...roleRef, kind: 'Role' } }), []);
  assert.deepEqual(refusals(clusterRoleBinding, { roleRef: { ...roleRef, kind: 'Role' } }), [
    'roleRef.kind NotSupported',
  ]);
});

test('groups that are left out are those that the kinds belong to', () => {
  const group = 'rbac.authorization.k8s.io';
  const { roleRef: ref, subjects } = begun(roleBinding, { roleRef, subjects: [user, account] });
  assert.equal(ref.apiGroup, group);
  assert.deepEqual(
    subjects?.map(({ apiGroup }) => apiGroup),
    [group, undefined],
  );
});

test('a name may be nearly anything that can stand in a path', () => {
  for (const name of ['a', 'system:node', 'Jane Doe', 'ü', '"quoted"', 'a'.repeat(253)]) {
    assert.equal(rbacName.check(name), undefined, name);
  }
  for (const name of ['.', '..', 'a/b', 'a%2fb', 'a\0b', 'a\nb', '\ud800', 'a'.repeat(254)]) {
    assert.notEqual(rbacName.check(name), undefined, JSON.stringify(name));
  }
});
