import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { deploymentRollback } from './deployment-rollback.ts';

function mistakesIn(body: unknown): string[] {
  const { value } = decode(deploymentRollback, body);
  return validate(deploymentRollback, value).list.map(({ field, reason }) => `${field} ${reason}`);
}

test('a rollback names its deployment', () => {
  assert.deepEqual(mistakesIn({ name: 'web' }), []);
  assert.deepEqual(mistakesIn({ name: '', rollbackTo: { revision: 1 } }), ['name FieldValueRequired']);
});

test('revisions are not negative and annotations have keys', () => {
  assert.deepEqual(mistakesIn({ name: 'web', rollbackTo: { revision: -1 } }), [
    'rollbackTo.revision FieldValueInvalid',
  ]);
  assert.deepEqual(mistakesIn({ name: 'web', updatedAnnotations: { 'no good': 'x' } }), [
    'updatedAnnotations FieldValueInvalid',
  ]);
});
