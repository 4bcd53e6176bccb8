import { list, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { localObjectReference, objectReference } from './object-reference.ts';

const serviceAccountFields = {
  secrets: list(objectReference, 'Secrets that pods of this account may use.').mergeBy('name'),
  imagePullSecrets: list(localObjectReference, 'Secrets that images of its pods are pulled with.'),
};
export interface ServiceAccount extends ApiObject, FieldsOf<typeof serviceAccountFields> {}

/** Secrets are in the account's own namespace and known by name alone, as in the reference. */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
}

const secretsColumn: Column<ServiceAccount> = {
  name: 'Secrets',
  description: 'How many secrets the account has.',
  type: 'integer',
  read: ({ secrets = [] }) => secrets.length,
};

export const serviceAccount: Kind<ServiceAccount> = defineKind<ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'ServiceAccount', description: 'An identity for what runs in pods.' },
    serviceAccountFields,
  ),
  deleteAnswersObject: true,
  columns: [nameColumn, secretsColumn, ageColumn],
  example: {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'builder' },
    secrets: [{ name: 'builder-token' }],
  },
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
});
