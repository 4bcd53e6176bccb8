import { object, one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { accessReviewStatus, askedActionFields, validateAskedAction, type AskedAction } from './asked-action.ts';
import { authorizationApiVersion, authorizationGroup } from './authorization-group.ts';

export interface SelfSubjectAccessReviewSpec extends AskedAction {}
const spec: ObjectSchema<SelfSubjectAccessReviewSpec> = object(
  'v1.SelfSubjectAccessReviewSpec',
  'What the sender wants to do.',
  askedActionFields,
  { validate: validateAskedAction },
);

const reviewFields = {
  spec: one(spec, 'What is asked.').mandatory().defaultsTo({}),
  status: one(accessReviewStatus, 'The answer; written by the server.'),
};
export interface SelfSubjectAccessReview extends ApiObject, FieldsOf<typeof reviewFields> {}

/** Asks whether the sender may do something. Answered and never stored. */
export const selfSubjectAccessReview: Kind<SelfSubjectAccessReview> = defineKind<SelfSubjectAccessReview>({
  group: authorizationGroup,
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  resource: 'selfsubjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    {
      apiVersion: authorizationApiVersion,
      kind: 'SelfSubjectAccessReview',
      description: 'Asks whether the sender may do something.',
    },
    reviewFields,
  ),
  example: {
    kind: 'SelfSubjectAccessReview',
    apiVersion: authorizationApiVersion,
    metadata: {},
    spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } },
  },
});
