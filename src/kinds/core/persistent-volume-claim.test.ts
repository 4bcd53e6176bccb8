import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '../../schema/field-errors.ts';
import { validate } from '../../schema/validate.ts';
import { begun, refusals, updateRefusals } from '../testing/first-write.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';

const good = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

test('a new claim is pending', () => {
  const claim = begun(persistentVolumeClaim, { spec: good, status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
  assert.deepEqual(claim.status, { phase: 'Pending' });
});

const cases: [what: string, spec: object, refused: string[]][] = [
  ['a good claim', good, []],
  ['a claim with limits and a volume', { ...good, volumeName: 'v' }, []],
  ['no access mode', { ...good, accessModes: undefined }, ['spec.accessModes Required']],
  ['an unknown access mode', { ...good, accessModes: ['ReadSometimes'] }, ['spec.accessModes NotSupported']],
  [
    'a claim without storage',
    { ...good, resources: { requests: { cpu: '1' } } },
    ['spec.resources.requests[storage] Required'],
  ],
  [
    'whatever else a claim asks for',
    { ...good, resources: { requests: { storage: '-1', 'a b': '2' }, limits: { storage: '-2' } } },
    [],
  ],
];
for (const [what, spec, refused] of cases) {
  test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
    assert.deepEqual(refusals(persistentVolumeClaim, { spec }), refused);
  });
}

test('a negative capacity in the status is refused', () => {
  const claim = begun(persistentVolumeClaim, { spec: good });
  claim.status = { phase: 'Bound', capacity: { storage: '-1' } };
  const errors = new FieldErrors();
  validate(persistentVolumeClaim.schema, claim, undefined, errors);
  assert.deepEqual(
    errors.list.map(({ field }) => field),
    ['status.capacity[storage]'],
  );
});

test('what a bound claim asks for cannot be changed, but written in another way', () => {
  const bound = { ...good, volumeName: 'v' };
  const changed = (spec: object): string[] => updateRefusals(persistentVolumeClaim, { spec: bound }, { spec });
  assert.deepEqual(changed({ ...bound, resources: { requests: { storage: '1024Mi' }, limits: {} } }), []);
  assert.deepEqual(changed({ ...bound, volumeName: 'w' }), ['spec Forbidden']);
  assert.deepEqual(changed(good), ['spec Forbidden']);
  assert.deepEqual(changed({ ...bound, accessModes: ['ReadOnlyMany'] }), ['spec Forbidden']);
});

test('an unbound claim can be changed and bound', () => {
  const spec = { ...good, accessModes: ['ReadOnlyMany'], volumeName: 'v' };
  assert.deepEqual(updateRefusals(persistentVolumeClaim, { spec: good }, { spec }), []);
});
