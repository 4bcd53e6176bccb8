import { long, object, one, string, strings, time, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { authenticationApiVersion, authenticationGroup } from './authentication-group.ts';

const boundKinds = ['Pod', 'Secret'] as const;

const boundObjectFields = {
  kind: string('Pod or Secret.').mandatory(),
  apiVersion: string('Always v1.').defaultsTo('v1'),
  name: string('Name of the object.').mandatory(),
  uid: string('Uid of the object; the one it has now when absent.'),
};
export interface BoundObjectReference extends FieldsOf<typeof boundObjectFields> {}
const boundObjectReference: ObjectSchema<BoundObjectReference> = object(
  'v1.BoundObjectReference',
  'The object that a token lives no longer than.',
  boundObjectFields,
  { validate: validateBoundObject },
);

const specFields = {
  audiences: strings('Whom the token is for; the API server itself when absent.'),
  expirationSeconds: long('How long the token is good.', { min: 600, max: 2 ** 32 })
    .keepZero()
    .defaultsTo(3600),
  boundObjectRef: one(boundObjectReference, 'The object that the token lives no longer than.'),
};
export interface TokenRequestSpec extends FieldsOf<typeof specFields> {}
const spec: ObjectSchema<TokenRequestSpec> = object('v1.TokenRequestSpec', 'What token is wanted.', specFields);

const statusFields = {
  token: string('The token.'),
  expirationTimestamp: time('When it is over.'),
};
export interface TokenRequestStatus extends FieldsOf<typeof statusFields> {}
const status: ObjectSchema<TokenRequestStatus> = object('v1.TokenRequestStatus', 'A new token.', statusFields);

const tokenRequestFields = {
  spec: one(spec, 'What token is wanted.').defaultsTo({}),
  status: one(status, 'The answer; written by the server.'),
};
export interface TokenRequest extends ApiObject, FieldsOf<typeof tokenRequestFields> {}

function validateBoundObject({ kind, apiVersion = 'v1' }: BoundObjectReference, path: Path, errors: FieldErrors): void {
  if (kind && !boundKinds.some((known) => known === kind)) errors.notSupported(path.at('kind'), kind, boundKinds);
  if (apiVersion !== 'v1') errors.notSupported(path.at('apiVersion'), apiVersion, ['v1']);
}

/** Asks for a token of a service account, through `serviceaccounts/<name>/token`. Answered and never stored. */
export const tokenRequest: Kind<TokenRequest> = defineKind<TokenRequest>({
  group: authenticationGroup,
  version: 'v1',
  kind: 'TokenRequest',
  resource: 'serviceaccounts',
  namespaced: true,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: authenticationApiVersion, kind: 'TokenRequest', description: 'Asks for a token of an account.' },
    tokenRequestFields,
  ),
  example: { kind: 'TokenRequest', apiVersion: authenticationApiVersion, metadata: {}, spec: { audiences: ['vault'] } },
});
