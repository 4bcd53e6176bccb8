import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '../../schema/field-errors.ts';
import { begun, refusals, updateRefusals } from '../testing/first-write.ts';
import { namespace } from './namespace.ts';

test('a new namespace is active and holds its content', () => {
  const object = begun(namespace, { status: { phase: 'Terminating' } });
  assert.deepEqual(object.spec, { finalizers: ['kubernetes'] });
  assert.deepEqual(object.status, { phase: 'Active' });
});

test('finalizers of others are kept before the one for the content', () => {
  const object = begun(namespace, { spec: { finalizers: ['example.com/extra'] } });
  assert.deepEqual(object.spec?.finalizers, ['example.com/extra', 'kubernetes']);
});

test('a finalizer needs a prefix', () => {
  assert.deepEqual(refusals(namespace, { spec: { finalizers: ['unqualified'] } }), ['spec.finalizers Invalid']);
});

test('a replace cannot change the finalizers', () => {
  const old = { spec: { finalizers: ['kubernetes', 'example.com/more'] } };
  assert.deepEqual(updateRefusals(namespace, old, { spec: { finalizers: ['bad finalizer!'] } }), []);
});

test('finalizing names the finalizer that is wrong', () => {
  const [old, changed] = [begun(namespace, {}), begun(namespace, {})];
  changed.spec = { finalizers: ['kubernetes', 'bad finalizer!'] };
  const errors = new FieldErrors();
  namespace.validateUpdate?.(changed, old, errors);
  assert.deepEqual(
    errors.list.map(({ field }) => field),
    ['spec.finalizers[1]'],
  );
});

for (const [deleted, phase, refused] of [
  [false, 'Active', false],
  [false, 'Terminating', true],
  [true, 'Active', true],
  [true, 'Terminating', false],
] as const) {
  test(`phase ${phase} is ${refused ? 'refused' : 'taken'} when deletion was ${deleted ? '' : 'not '}asked for`, () => {
    const [old, changed] = [begun(namespace, {}), begun(namespace, {})];
    if (deleted) old.metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
    changed.status = { phase };
    const errors = new FieldErrors();
    namespace.validateStatusUpdate?.(changed, old, errors);
    assert.equal(errors.any, refused);
  });
}

test('a namespace goes only when its finalizers are gone', () => {
  const object = begun(namespace, {});
  namespace.markDeletion?.(object);
  assert.equal(object.status?.phase, 'Terminating');
  assert.equal(namespace.holdsDeletion?.(object), true);
  object.spec = {};
  assert.equal(namespace.holdsDeletion?.(object), false);
});
