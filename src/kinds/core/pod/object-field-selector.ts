import { object, string, type FieldsOf } from '../../../schema/builders.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import type { Path } from '../../../schema/path.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';

const objectFieldSelectorFields = {
  apiVersion: string('Version in which the path is written.').defaultsTo('v1'),
  fieldPath: string('Path of the field, such as metadata.name.').mandatory(),
};
export interface ObjectFieldSelector extends FieldsOf<typeof objectFieldSelectorFields> {}
export const objectFieldSelector: ObjectSchema<ObjectFieldSelector> = object(
  'v1.ObjectFieldSelector',
  'A field of the pod.',
  objectFieldSelectorFields,
);

/** Every path that the reference knows, whether or not a given place can use it. */
const knownPaths: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.labels',
  'metadata.annotations',
  'spec.host',
  'spec.nodeName',
  'spec.restartPolicy',
  'status.phase',
  'status.podIP',
];

/** Which fields can be used depends on where: `allowed` says. An empty path is reported by the schema. */
export function validateFieldPath(
  selector: ObjectFieldSelector,
  allowed: readonly string[],
  path: Path,
  errors: FieldErrors,
): void {
  const { apiVersion, fieldPath } = selector;
  if (!fieldPath) return;
  if (apiVersion !== 'v1') errors.invalid(path.at('fieldPath'), fieldPath, `there is no version ${apiVersion} of pods`);
  else if (!knownPaths.includes(fieldPath)) errors.invalid(path.at('fieldPath'), fieldPath, 'pods have no such field');
  else if (!allowed.includes(fieldPath)) errors.notSupported(path.at('fieldPath'), fieldPath, allowed);
}
