import { bytesMap, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { validateData } from './data-rules.ts';

/** Types that the server knows; any other type is the user's own. */
export const secretTypes = {
  opaque: 'Opaque',
  serviceAccountToken: 'kubernetes.io/service-account-token',
  dockercfg: 'kubernetes.io/dockercfg',
  dockerconfigjson: 'kubernetes.io/dockerconfigjson',
  basicAuth: 'kubernetes.io/basic-auth',
  sshAuth: 'kubernetes.io/ssh-auth',
  tls: 'kubernetes.io/tls',
} as const;

/** Names the service account that a token secret belongs to. */
export const serviceAccountNameAnnotation = 'kubernetes.io/service-account.name';
/** Holds the uid of that service account. */
export const serviceAccountUidAnnotation = 'kubernetes.io/service-account.uid';

const secretFields = {
  data: bytesMap('Secret values in base64, by key.'),
  type: string('What the secret is for; decides which keys it must have.').defaultsTo(secretTypes.opaque),
};
export interface Secret extends ApiObject, FieldsOf<typeof secretFields> {}

function validateSecret(secret: Secret, path: Path, errors: FieldErrors): void {
  const dataPath = path.at('data');
  const { data = {} } = secret;
  validateData(data, (base64) => Buffer.byteLength(base64, 'base64'), dataPath, errors);
  switch (secret.type) {
    case secretTypes.serviceAccountToken:
      return validateTokenOwner(secret, path, errors);
    case secretTypes.dockercfg:
      return validateJson(data, '.dockercfg', dataPath, errors);
    case secretTypes.dockerconfigjson:
      return validateJson(data, '.dockerconfigjson', dataPath, errors);
    case secretTypes.basicAuth:
      if (data['username'] === undefined && data['password'] === undefined) {
        for (const key of ['username', 'password']) errors.required(dataPath.key(key), 'give at least one of the two');
      }
      return;
    case secretTypes.sshAuth:
      if (!data['ssh-privatekey']) errors.required(dataPath.key('ssh-privatekey'));
      return;
    case secretTypes.tls:
      for (const key of ['tls.crt', 'tls.key']) {
        if (data[key] === undefined) errors.required(dataPath.key(key));
      }
      return;
    default:
  }
}

function validateTokenOwner(secret: Secret, path: Path, errors: FieldErrors): void {
  if (secret.metadata.annotations?.[serviceAccountNameAnnotation]) return;
  const annotation = path.at('metadata').at('annotations').key(serviceAccountNameAnnotation);
  errors.required(annotation, 'name the service account that the token is for');
}

/** The value must be a JSON object; it is never shown in a message. */
function validateJson(data: Record<string, string>, key: string, path: Path, errors: FieldErrors): void {
  const base64 = data[key];
  if (base64 === undefined) errors.required(path.key(key));
  else if (!isJsonObject(base64)) errors.invalid(path.key(key), '<hidden>', 'must hold a JSON object');
}

function isJsonObject(base64: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
}

function validateSecretUpdate(secret: Secret, old: Secret, errors: FieldErrors): void {
  if (secret.type !== old.type) errors.invalid(Path.of('type'), secret.type, 'the type cannot be changed');
}

const columns: readonly Column<Secret>[] = [
  nameColumn,
  { name: 'Type', description: 'What the secret is for.', read: ({ type = '' }) => type },
  {
    name: 'Data',
    description: 'How many keys there are.',
    type: 'integer',
    read: ({ data = {} }) => Object.keys(data).length,
  },
  ageColumn,
];

export const secret: Kind<Secret> = defineKind<Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  resource: 'secrets',
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'Secret', description: 'Confidential values that pods read as variables or files.' },
    secretFields,
    { validate: validateSecret },
  ),
  selectableFields: { type: (object) => object.type ?? '' },
  columns,
  example: {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'login' },
    data: { user: 'YWRtaW4=' },
    type: 'Opaque',
  },
  validateUpdate: validateSecretUpdate,
});
