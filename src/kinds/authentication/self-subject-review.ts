import { object, one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { authenticationApiVersion, authenticationGroup } from './authentication-group.ts';
import { userInfo } from './user-info.ts';

const statusFields = {
  userInfo: one(userInfo, 'Who sent the request.'),
};
export interface SelfSubjectReviewStatus extends FieldsOf<typeof statusFields> {}
const status: ObjectSchema<SelfSubjectReviewStatus> = object(
  'v1.SelfSubjectReviewStatus',
  'Who the sender is.',
  statusFields,
);

const selfSubjectReviewFields = {
  status: one(status, 'The answer; written by the server.'),
};
export interface SelfSubjectReview extends ApiObject, FieldsOf<typeof selfSubjectReviewFields> {}

/** Asks who the sender is taken for. Answered and never stored. */
export const selfSubjectReview: Kind<SelfSubjectReview> = defineKind<SelfSubjectReview>({
  group: authenticationGroup,
  version: 'v1',
  kind: 'SelfSubjectReview',
  resource: 'selfsubjectreviews',
  namespaced: false,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: authenticationApiVersion, kind: 'SelfSubjectReview', description: 'Asks who the sender is.' },
    selfSubjectReviewFields,
  ),
  example: { kind: 'SelfSubjectReview', apiVersion: authenticationApiVersion, metadata: {} },
});
