import { boolean, object, one, string, strings, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { authenticationApiVersion, authenticationGroup } from './authentication-group.ts';
import { userInfo } from './user-info.ts';

const specFields = {
  token: string('The bearer token.').mandatory(),
  audiences: strings('Whom the token must be for; the API server itself when absent.'),
};
export interface TokenReviewSpec extends FieldsOf<typeof specFields> {}
const spec: ObjectSchema<TokenReviewSpec> = object('v1.TokenReviewSpec', 'A token to look at.', specFields);

const statusFields = {
  authenticated: boolean('Whether the token is good.'),
  user: one(userInfo, 'Whose token it is.'),
  audiences: strings('Which of the audiences asked for the token is for.'),
  error: string('Why the token could not be looked at.'),
};
export interface TokenReviewStatus extends FieldsOf<typeof statusFields> {}
const status: ObjectSchema<TokenReviewStatus> = object('v1.TokenReviewStatus', 'What came of it.', statusFields);

const tokenReviewFields = {
  spec: one(spec, 'What is asked.').mandatory(),
  status: one(status, 'The answer; written by the server.'),
};
export interface TokenReview extends ApiObject, FieldsOf<typeof tokenReviewFields> {}

/** Asks whose a token is. Answered and never stored. */
export const tokenReview: Kind<TokenReview> = defineKind<TokenReview>({
  group: authenticationGroup,
  version: 'v1',
  kind: 'TokenReview',
  resource: 'tokenreviews',
  namespaced: false,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: authenticationApiVersion, kind: 'TokenReview', description: 'Asks whose a bearer token is.' },
    tokenReviewFields,
  ),
  example: {
    kind: 'TokenReview',
    apiVersion: authenticationApiVersion,
    metadata: {},
    spec: { token: 'some-token' },
  },
});
