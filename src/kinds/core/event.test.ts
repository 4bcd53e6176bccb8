import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validate } from '../../schema/validate.ts';
import { begun, refusals } from '../testing/first-write.ts';
import { event } from './event.ts';

const cases: [what: string, involvedObject: object, refused: string[]][] = [
  ['an object of the same namespace', { kind: 'Pod', namespace: 'default', name: 'x' }, []],
  ['an object without a kind', { namespace: 'default' }, []],
  ['an object of another namespace', { kind: 'Pod', namespace: 'other' }, ['involvedObject.namespace Invalid']],
  ['a pod without a namespace', { kind: 'Pod', name: 'x' }, ['involvedObject.namespace Invalid']],
  ['a node', { kind: 'Node', name: 'n1' }, []],
  ['a volume', { kind: 'PersistentVolume', name: 'v' }, []],
  ['a volume that is said to have the same namespace', { kind: 'PersistentVolume', namespace: 'default' }, []],
  ['a volume of a namespace', { kind: 'PersistentVolume', namespace: 'other' }, ['involvedObject.namespace Invalid']],
  ['a node of whatever namespace', { kind: 'Node', namespace: 'other' }, []],
];
for (const [what, involvedObject, refused] of cases) {
  test(`an event about ${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
    assert.deepEqual(refusals(event, { involvedObject }), refused);
  });
}

for (const kind of ['Node', 'PersistentVolume', 'Namespace']) {
  test(`an event about a ${kind} is refused outside the default namespace`, () => {
    const misplaced = begun(event, { involvedObject: { kind, name: 'x' } });
    misplaced.metadata.namespace = 'other';
    const fields = validate(event.schema, misplaced).list.map(({ field }) => field);
    assert.deepEqual(fields, ['involvedObject.namespace']);
  });
}

test('an event about nothing is refused', () => {
  assert.deepEqual(refusals(event, {}), ['involvedObject.namespace Invalid']);
});

test('events are selected by what they are about and by who reports them', () => {
  const object = begun(event, {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'web', fieldPath: 'spec.containers{a}' },
    source: { component: 'kubelet', host: 'n1' },
    reason: 'Pulled',
  });
  const selected = Object.entries(event.selectableFields).map(([field, read]) => [field, read(object)]);
  assert.deepEqual(Object.fromEntries(selected.filter(([, value]) => value !== '')), {
    'involvedObject.kind': 'Pod',
    'involvedObject.namespace': 'default',
    'involvedObject.name': 'web',
    'involvedObject.fieldPath': 'spec.containers{a}',
    reason: 'Pulled',
    source: 'kubelet',
  });
});
