import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Kind, WriteContext } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';

const context: WriteContext = { now: Date.UTC(2030, 0, 1), uid: () => '00000000-0000-4000-8000-000000000001' };

/** A body as a create would take it: decoded, completed and brought into its first state. */
export function begun<T extends ApiObject>(kind: Kind<T>, body: object): T {
  const { value, mistakes } = decode(kind.schema, { metadata: { name: 'one' }, ...body });
  if (mistakes.length > 0) throw new Error(`cannot be read: ${JSON.stringify(mistakes)}`);
  if (kind.namespaced) value.metadata.namespace = 'default';
  kind.prepareForCreate?.(value, context);
  return value;
}

/** What a create of this body would be refused for, as `field reason`. */
export function refusals<T extends ApiObject>(kind: Kind<T>, body: object): string[] {
  const object = begun(kind, body);
  const errors = validate(kind.schema, object);
  kind.validateCreate?.(object, errors);
  return words(errors);
}

/** What a replace of `old` by `body` would be refused for. */
export function updateRefusals<T extends ApiObject>(kind: Kind<T>, old: object, body: object): string[] {
  const [before, after] = [begun(kind, old), begun(kind, body)];
  kind.prepareForUpdate?.(after, before, context);
  const errors = validate(kind.schema, after);
  kind.validateUpdate?.(after, before, errors);
  return words(errors);
}

function words(errors: FieldErrors): string[] {
  return errors.list.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
}
