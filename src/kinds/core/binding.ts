import { one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { kindSchema } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { objectReference } from './object-reference.ts';

const bindingFields = {
  target: one(objectReference, 'The node that the pod is put on.').mandatory(),
};
/** Asks for a pod to be put on a node. A request only: it is never stored. */
export interface Binding extends ApiObject, FieldsOf<typeof bindingFields> {}
export const binding: ObjectSchema<Binding> = kindSchema(
  { apiVersion: 'v1', kind: 'Binding', description: 'Puts the pod of that name on a node.' },
  bindingFields,
  { validate: validateTarget },
);

/** No kind means Node, as in the reference. */
function validateTarget({ target }: Binding, _path: Path, errors: FieldErrors): void {
  if (!target) return;
  if (target.kind && target.kind !== 'Node') errors.notSupported(Path.of('target', 'kind'), target.kind, ['Node']);
  if (!target.name) errors.required(Path.of('target', 'name'));
}
