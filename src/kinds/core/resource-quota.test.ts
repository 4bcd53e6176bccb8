import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals, updateRefusals } from '../testing/first-write.ts';
import { resourceQuota } from './resource-quota.ts';

test('a new quota has no usage yet', () => {
  assert.deepEqual(begun(resourceQuota, { status: { used: { pods: '1' } } }).status, {});
});

const cases: [what: string, spec: object, refused: string[]][] = [
  ['no bounds', {}, []],
  ['every counted object', { hard: { pods: '4', services: '5', secrets: '7', configmaps: '8' } }, []],
  ['amounts of compute resources', { hard: { cpu: '1500m', 'limits.memory': '1Gi', 'requests.cpu': '0' } }, []],
  ['a resource of someone', { hard: { 'example.com/gpu': '1500m' } }, []],
  ['anything with a slash', { hard: { '/': '1500m', 'a/b/c': '1' }, scopes: ['BestEffort'] }, []],
  ['a negative bound', { hard: { pods: '-1' } }, ['spec.hard[pods] Invalid']],
  ['a part of a pod', { hard: { pods: '1500m' } }, ['spec.hard[pods] Invalid']],
  ['an unknown resource', { hard: { bogus: '1' } }, ['spec.hard[bogus] Invalid']],
  ['storage', { hard: { storage: '1' } }, ['spec.hard[storage] Invalid']],
  ['an unknown scope', { hard: { pods: '1' }, scopes: ['Everything'] }, ['spec.scopes Invalid']],
  ['scopes that go together', { hard: { pods: '1' }, scopes: ['BestEffort', 'NotTerminating'] }, []],
  ['contrary scopes', { hard: { pods: '1' }, scopes: ['Terminating', 'NotTerminating'] }, ['spec.scopes Invalid']],
  [
    'compute resources of pods that ask for none',
    { hard: { cpu: '1' }, scopes: ['BestEffort'] },
    ['spec.scopes Invalid'],
  ],
  ['compute resources of pods that ask', { hard: { cpu: '1' }, scopes: ['NotBestEffort'] }, []],
  ['services with a scope', { hard: { services: '1' }, scopes: ['Terminating'] }, ['spec.scopes Invalid']],
];
for (const [what, spec, refused] of cases) {
  test(`${what}: ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
    assert.deepEqual(refusals(resourceQuota, { spec }), refused);
  });
}

test('the scopes of a quota cannot be changed, but written in another order', () => {
  const old = { spec: { hard: { pods: '1' }, scopes: ['BestEffort', 'Terminating'] } };
  const turned = { spec: { hard: { pods: '2' }, scopes: ['Terminating', 'BestEffort'] } };
  assert.deepEqual(updateRefusals(resourceQuota, old, turned), []);
  assert.deepEqual(updateRefusals(resourceQuota, old, { spec: { hard: { pods: '1' } } }), ['spec.scopes Invalid']);
});
