import { boolean, long, manyOf, object, one, oneOf, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const preconditionsFields = {
  uid: string('Delete only the object with this uid.').keepZero(),
  resourceVersion: string('Delete only this version of the object.'),
};
export interface Preconditions extends FieldsOf<typeof preconditionsFields> {}
const preconditions: ObjectSchema<Preconditions> = object(
  'v1.Preconditions',
  'What must hold of an object that is to be deleted.',
  preconditionsFields,
);

const deleteOptionsFields = {
  kind: oneOf(['DeleteOptions'], 'Always DeleteOptions.').defaultsTo('DeleteOptions'),
  apiVersion: string('Group and version that the options are written in.').defaultsTo('v1'),
  gracePeriodSeconds: long('Seconds the object is given to end; 0 removes it at once.').keepZero(),
  preconditions: one(preconditions, 'What must hold, or nothing is deleted.'),
  orphanDependents: boolean(
    'Whether objects that belong to this one are left behind; use propagationPolicy instead.',
  ).keepZero(),
  propagationPolicy: oneOf(
    ['Orphan', 'Background', 'Foreground'],
    'Whether objects that belong to this one stay, go afterwards or go first.',
  ),
  dryRun: manyOf(['All'], 'With All, everything is checked and nothing is deleted.'),
};
export interface DeleteOptions extends FieldsOf<typeof deleteOptionsFields> {}
/** The optional body of a delete request. */
export const deleteOptions: ObjectSchema<DeleteOptions> = object(
  'v1.DeleteOptions',
  'How an object is to be deleted.',
  deleteOptionsFields,
  { validate: validateDeleteOptions },
);

const groupVersion = /^(?:v1|[a-z0-9][-.a-z0-9]*\/v\d+(?:(?:alpha|beta)\d+)?)$/;

function validateDeleteOptions(options: DeleteOptions, path: Path, errors: FieldErrors): void {
  const { apiVersion = 'v1', orphanDependents, propagationPolicy } = options;
  // Every group has DeleteOptions under its own name; the core group has only v1.
  if (!groupVersion.test(apiVersion)) errors.invalid(path.at('apiVersion'), apiVersion, 'there is no such version');
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.invalid(path.at('propagationPolicy'), propagationPolicy, 'give either this or orphanDependents');
  }
}
