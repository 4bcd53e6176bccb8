import { boolean, object, one, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const resourceAttributesFields = {
  namespace: string('Namespace of the request; empty for all, and for kinds of the cluster.'),
  verb: string('What is to be done, such as get or create; * for everything.'),
  group: string('Group of the resource; * for all.'),
  version: string('Version of the resource; nothing is decided by it.'),
  resource: string('Path segment of the resource, such as pods; * for all.'),
  subresource: string('Path segment of the sub-resource, such as log.'),
  name: string('Name of the object; empty for all.'),
};
export interface ResourceAttributes extends FieldsOf<typeof resourceAttributesFields> {}
const resourceAttributes: ObjectSchema<ResourceAttributes> = object(
  'v1.ResourceAttributes',
  'A request for a resource.',
  resourceAttributesFields,
);

const nonResourceAttributesFields = {
  path: string('The path.'),
  verb: string('The method in small letters.'),
};
export interface NonResourceAttributes extends FieldsOf<typeof nonResourceAttributesFields> {}
const nonResourceAttributes: ObjectSchema<NonResourceAttributes> = object(
  'v1.NonResourceAttributes',
  'A request for a path that is no resource.',
  nonResourceAttributesFields,
);

/** The fields of every question whether something is allowed: one of the two says what. */
export const askedActionFields = {
  resourceAttributes: one(resourceAttributes, 'The request, when it is for a resource.'),
  nonResourceAttributes: one(nonResourceAttributes, 'The request, when it is for another path.'),
};
export interface AskedAction extends FieldsOf<typeof askedActionFields> {}

export function validateAskedAction(asked: AskedAction, path: Path, errors: FieldErrors): void {
  const given = [asked.resourceAttributes, asked.nonResourceAttributes].filter((each) => each !== undefined).length;
  if (given === 1) return;
  const where = path.at('resourceAttributes');
  if (given === 0) errors.required(where, 'give either this or nonResourceAttributes');
  else errors.invalid(where, asked.resourceAttributes, 'give either this or nonResourceAttributes');
}

const accessStatusFields = {
  allowed: boolean('Whether it is allowed.').mandatory().always(false),
  denied: boolean('Whether it is refused whatever others would say.'),
  reason: string('Why, for people.'),
  evaluationError: string('What could not be found out.'),
};
export interface AccessReviewStatus extends FieldsOf<typeof accessStatusFields> {}
export const accessReviewStatus: ObjectSchema<AccessReviewStatus> = object(
  'v1.SubjectAccessReviewStatus',
  'Whether it is allowed.',
  accessStatusFields,
);
