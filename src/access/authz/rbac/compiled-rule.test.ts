import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import type { RequestAction } from '../request-action.ts';
import { CompiledRule } from './compiled-rule.ts';

const podRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const getPod = { verb: 'get', path: '', group: '', resource: 'pods', name: 'web' };
const getPath = { verb: 'get', path: '/healthz' };

const cases: [what: string, rule: PolicyRule, action: RequestAction, allowed: boolean][] = [
  ['the same', podRule, getPod, true],
  ['another verb', podRule, { ...getPod, verb: 'list' }, false],
  ['any verb', { ...podRule, verbs: ['*'] }, { ...getPod, verb: 'list' }, true],
  ['another group', podRule, { ...getPod, group: 'apps' }, false],
  ['any group', { ...podRule, apiGroups: ['*'] }, { ...getPod, group: 'apps' }, true],
  ['a sub-resource', podRule, { ...getPod, subresource: 'log' }, false],
  ['the sub-resource', { ...podRule, resources: ['pods/log'] }, { ...getPod, subresource: 'log' }, true],
  ['a sub-resource of anything', { ...podRule, resources: ['*/log'] }, { ...getPod, subresource: 'log' }, true],
  ['what is no sub-resource', { ...podRule, resources: ['*/log'] }, getPod, false],
  ['any resource', { ...podRule, resources: ['*'] }, { ...getPod, subresource: 'log' }, true],
  ['the name', { ...podRule, resourceNames: ['web'] }, getPod, true],
  ['another name', { ...podRule, resourceNames: ['db'] }, getPod, false],
  ['no name', { ...podRule, resourceNames: ['web'] }, { ...getPod, name: undefined }, false],
  ['a name that is no pattern', { ...podRule, resourceNames: ['*'] }, getPod, false],
  ['a path', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, getPath, true],
  ['a path below', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, { ...getPath, path: '/healthz/ping' }, false],
  ['paths below', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, { ...getPath, path: '/healthz/ping' }, true],
  ['not the path above', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, getPath, false],
  ['all paths', { verbs: ['*'], nonResourceURLs: ['*'] }, getPath, true],
  ['paths for a resource', { verbs: ['*'], nonResourceURLs: ['*'] }, getPod, false],
  ['resources for a path', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, getPath, false],
];

for (const [what, rule, action, allowed] of cases) {
  test(`a rule is ${allowed ? '' : 'not '}about ${what}`, () => {
    assert.equal(new CompiledRule(rule).allows(action), allowed);
  });
}
