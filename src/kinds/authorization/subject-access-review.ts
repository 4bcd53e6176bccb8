import { object, one, string, strings, stringsMap, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { accessReviewStatus, askedActionFields, validateAskedAction } from './asked-action.ts';
import { authorizationApiVersion, authorizationGroup } from './authorization-group.ts';

const specFields = {
  ...askedActionFields,
  user: string('Who wants to do it; may be left out where groups are given.'),
  groups: strings('Groups that the user is in.'),
  extra: stringsMap('What else is known about the user.'),
  uid: string('What tells this user from an earlier one of the same name.'),
};
export interface SubjectAccessReviewSpec extends FieldsOf<typeof specFields> {}
const spec: ObjectSchema<SubjectAccessReviewSpec> = object(
  'v1.SubjectAccessReviewSpec',
  'What somebody wants to do.',
  specFields,
  { validate: validateSpec },
);

const reviewFields = {
  spec: one(spec, 'What is asked.').mandatory().defaultsTo({}),
  status: one(accessReviewStatus, 'The answer; written by the server.'),
};
export interface SubjectAccessReview extends ApiObject, FieldsOf<typeof reviewFields> {}

function validateSpec(asked: SubjectAccessReviewSpec, path: Path, errors: FieldErrors): void {
  validateAskedAction(asked, path, errors);
  if (!asked.user && !asked.groups) errors.invalid(path.at('user'), '', 'give a user, or groups');
}

/** Within a namespace only what happens there can be asked, so that its administrators may ask. */
function validateLocal({ spec, metadata }: SubjectAccessReview, path: Path, errors: FieldErrors): void {
  const where = path.at('spec');
  if (spec?.nonResourceAttributes) {
    errors.invalid(where.at('nonResourceAttributes'), spec.nonResourceAttributes, 'paths are no part of a namespace');
  }
  const { namespace = '' } = spec?.resourceAttributes ?? {};
  if (spec?.resourceAttributes && namespace !== metadata.namespace) {
    const message = `must be ${JSON.stringify(metadata.namespace)} as in the path`;
    errors.invalid(where.at('resourceAttributes').at('namespace'), namespace, message);
  }
}

const example = {
  apiVersion: authorizationApiVersion,
  metadata: {},
  spec: { user: 'jane', resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } },
};

/** Asks whether somebody may do something. Answered and never stored. */
export const subjectAccessReview: Kind<SubjectAccessReview> = defineKind<SubjectAccessReview>({
  group: authorizationGroup,
  version: 'v1',
  kind: 'SubjectAccessReview',
  resource: 'subjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    {
      apiVersion: authorizationApiVersion,
      kind: 'SubjectAccessReview',
      description: 'Asks whether somebody may do something.',
    },
    reviewFields,
  ),
  example: { ...example, kind: 'SubjectAccessReview' },
});

/** The same within a namespace. */
export const localSubjectAccessReview: Kind<SubjectAccessReview> = defineKind<SubjectAccessReview>({
  group: authorizationGroup,
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  resource: 'localsubjectaccessreviews',
  namespaced: true,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    {
      apiVersion: authorizationApiVersion,
      kind: 'LocalSubjectAccessReview',
      description: 'Asks whether somebody may do something in a namespace.',
    },
    reviewFields,
    { validate: validateLocal },
  ),
  example: { ...example, kind: 'LocalSubjectAccessReview' },
});
