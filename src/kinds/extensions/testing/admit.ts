import assert from 'node:assert/strict';
import { decode } from '../../../schema/decode.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import { validate } from '../../../schema/validate.ts';
import type { Kind } from '../../kind.ts';
import type { ApiObject } from '../../meta/object-meta.ts';

/** What became of a body: the object, and its mistakes as `field reason` in order. */
export interface Admitted<T> {
  readonly object: T;
  readonly mistakes: readonly string[];
}

export const testUid = '11111111-2222-4333-8444-555555555555';
const context = { now: 0, uid: () => testUid };

/** Takes a body through the steps of a create, without a server. */
export function admit<T extends ApiObject>(kind: Kind<T>, body: unknown): Admitted<T> {
  const object = decoded(kind, body);
  object.metadata.uid = testUid;
  kind.prepareForCreate?.(object, context);
  const errors = validate(kind.schema, object);
  kind.validateCreate?.(object, errors);
  return { object, mistakes: shown(errors) };
}

/** Takes a body through the steps of a replace. */
export function replace<T extends ApiObject>(kind: Kind<T>, old: T, body: unknown): Admitted<T> {
  const object = decoded(kind, body);
  object.metadata.uid ??= old.metadata.uid;
  kind.prepareForUpdate?.(object, old, context);
  const errors = validate(kind.schema, object);
  kind.validateUpdate?.(object, old, errors);
  return { object, mistakes: shown(errors) };
}

function decoded<T extends ApiObject>(kind: Kind<T>, body: unknown): T {
  const { value, mistakes } = decode(kind.schema, body);
  assert.deepEqual(mistakes, []);
  return value;
}

function shown(errors: FieldErrors): string[] {
  return errors.list.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
}

/** The example of a kind must pass, and what came of it must pass unchanged. */
export function checkExample<T extends ApiObject>(kind: Kind<T>): void {
  const first = admit(kind, kind.example);
  assert.deepEqual(first.mistakes, []);
  const second = decode(kind.schema, first.object);
  assert.deepEqual(second.value, first.object);
  assert.deepEqual(second.unknown, []);
}
