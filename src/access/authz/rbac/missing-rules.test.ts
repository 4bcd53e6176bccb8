import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import { fuzzRuns } from '../../../schema/testing/fuzz-runs.ts';
import { missingRules } from './missing-rules.ts';

const readPods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('rules that are wanted', () => {
  test('are held by one rule, or by several together', () => {
    assert.deepEqual(missingRules([readPods], [readPods]), []);
    const split = [
      { ...readPods, verbs: ['get'] },
      { ...readPods, verbs: ['list'] },
    ];
    assert.deepEqual(missingRules(split, [readPods]), []);
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    assert.deepEqual(missingRules([everything], [readPods, everything]), []);
  });

  test('are named as far as they are not held', () => {
    assert.deepEqual(
      missingRules([{ ...readPods, verbs: ['get'] }], [{ ...readPods, verbs: ['get', 'list', 'watch'] }]),
      [{ ...readPods, verbs: ['list', 'watch'] }],
    );
    assert.deepEqual(missingRules([], [readPods]), [readPods]);
  });

  test('about everything are held only by those about everything', () => {
    assert.equal(missingRules([readPods], [{ ...readPods, verbs: ['*'] }]).length, 1);
    assert.equal(missingRules([readPods], [{ ...readPods, resources: ['*'] }]).length, 1);
    assert.equal(missingRules([readPods], [{ ...readPods, apiGroups: ['*'] }]).length, 1);
  });

  test('about all objects are not held by those about some', () => {
    const named = { ...readPods, resourceNames: ['a', 'b'] };
    assert.deepEqual(missingRules([readPods], [named]), []);
    assert.deepEqual(missingRules([named], [readPods]), [readPods]);
    assert.deepEqual(missingRules([named], [{ ...readPods, resourceNames: ['b', 'c'] }]), [
      { ...readPods, resourceNames: ['c'] },
    ]);
    assert.equal(missingRules([{ ...readPods, resourceNames: ['*'] }], [named]).length, 1);
  });

  test('about paths are held by beginnings of paths', () => {
    const held = [{ verbs: ['get'], nonResourceURLs: ['/api/*', '/version'] }];
    assert.deepEqual(missingRules(held, [{ verbs: ['get'], nonResourceURLs: ['/api/v1', '/api/*', '/version'] }]), []);
    const wanted = { verbs: ['get', 'put'], nonResourceURLs: ['/api', '/version'] };
    assert.equal(missingRules(held, [wanted]).length, 3);
    assert.equal(missingRules(held, [{ verbs: ['get'], nonResourceURLs: ['*'] }]).length, 1);
  });

  test('in lists of any length are checked at once', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `x${i}`);
    const wanted = { verbs: many, apiGroups: many, resources: many, resourceNames: many };
    const missing = missingRules([readPods, { verbs: ['x1'], apiGroups: ['*'], resources: ['*'] }], [wanted]);
    assert.equal(missing.length, 1);
  });
});

const some = (values: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...values], { minLength: 1 });
const rule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(['get', 'list', '*']),
  apiGroups: some(['', 'apps', '*']),
  resources: some(['pods', 'pods/log', '*/log', '*']),
  resourceNames: fc.subarray(['a', 'b']),
});

/** Every combination that a rule stands for, as a rule of its own. */
function single({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): PolicyRule[] {
  const names = resourceNames.length > 0 ? resourceNames.map((name) => [name]) : [[]];
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((resourceName) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: resourceName,
        })),
      ),
    ),
  );
}

function holds(held: PolicyRule, one: PolicyRule): boolean {
  const has = (list: readonly string[] = [], value = ''): boolean => list.includes('*') || list.includes(value);
  const [resource = ''] = one.resources ?? [];
  const slash = resource.indexOf('/');
  const isResource =
    has(held.resources, resource) || (slash > 0 && Boolean(held.resources?.includes(`*${resource.slice(slash)}`)));
  const names = held.resourceNames ?? [];
  const [name] = one.resourceNames ?? [];
  const isNamed = names.length === 0 || (name !== undefined && names.includes(name));
  return has(held.verbs, one.verbs[0]) && has(held.apiGroups, one.apiGroups?.[0]) && isResource && isNamed;
}

test('what is missing is what a look at every combination finds missing', () => {
  const property = fc.property(fc.array(rule, { maxLength: 4 }), rule, (held, wanted) => {
    const missing = missingRules(held, [wanted]).flatMap(single);
    const expected = single(wanted).filter((one) => !held.some((each) => holds(each, one)));
    const words = (rules: readonly PolicyRule[]): string[] =>
      rules
        .map(({ verbs, apiGroups, resources, resourceNames = [] }) =>
          JSON.stringify([verbs, apiGroups, resources, resourceNames]),
        )
        .sort();
    assert.deepEqual(words(missing), words(expected));
  });
  fc.assert(property, fuzzRuns(300));
});
