import { boolean, list, object, one, string, type FieldsOf } from '../../../schema/builders.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import type { Path } from '../../../schema/path.ts';
import type { Format, ObjectSchema } from '../../../schema/schema.ts';
import { objectFieldSelector, validateFieldPath } from './object-field-selector.ts';

/** A path that cannot lead out of the volume. */
const innerPath: Format = {
  name: 'inner-path',
  check(value) {
    if (value.startsWith('/')) return 'must be a relative path';
    const segments = value.split('/');
    if (segments.includes('..')) return 'must not contain ".."';
    return value.startsWith('..') ? 'must not begin with ".."' : undefined;
  },
};

const emptyDirFields = {
  medium: string('What the directory is kept on: empty for the disk of the node, or Memory.'),
};
export interface EmptyDirVolumeSource extends FieldsOf<typeof emptyDirFields> {}
export const emptyDirVolumeSource: ObjectSchema<EmptyDirVolumeSource> = object(
  'v1.EmptyDirVolumeSource',
  'A directory that begins empty and goes with its pod.',
  emptyDirFields,
);

const gitRepoFields = {
  repository: string('Address of the repository.').mandatory(),
  revision: string('Commit to check out.'),
  directory: string('Where in the volume the repository goes, as a relative path.', innerPath),
};
export interface GitRepoVolumeSource extends FieldsOf<typeof gitRepoFields> {}
export const gitRepoVolumeSource: ObjectSchema<GitRepoVolumeSource> = object(
  'v1.GitRepoVolumeSource',
  'A copy of a Git repository, taken when the pod starts.',
  gitRepoFields,
);

const secretFields = {
  secretName: string('Name of the secret.').mandatory(),
};
export interface SecretVolumeSource extends FieldsOf<typeof secretFields> {}
export const secretVolumeSource: ObjectSchema<SecretVolumeSource> = object(
  'v1.SecretVolumeSource',
  'The values of a secret as files.',
  secretFields,
);

const persistentVolumeClaimFields = {
  claimName: string('Name of the claim in the namespace of the pod.').mandatory(),
  readOnly: boolean('Whether the volume can only be read.'),
};
export interface PersistentVolumeClaimVolumeSource extends FieldsOf<typeof persistentVolumeClaimFields> {}
export const persistentVolumeClaimVolumeSource: ObjectSchema<PersistentVolumeClaimVolumeSource> = object(
  'v1.PersistentVolumeClaimVolumeSource',
  'The volume that a claim is bound to.',
  persistentVolumeClaimFields,
);

const downwardAPIFileFields = {
  path: string('Name of the file, as a relative path.', innerPath).mandatory(),
  fieldRef: one(objectFieldSelector, 'The field of the pod that the file holds.')
    .mandatory()
    .defaultsTo({ fieldPath: '' }),
};
export interface DownwardAPIVolumeFile extends FieldsOf<typeof downwardAPIFileFields> {}
const downwardAPIVolumeFile: ObjectSchema<DownwardAPIVolumeFile> = object(
  'v1.DownwardAPIVolumeFile',
  'A file that holds a field of the pod.',
  downwardAPIFileFields,
  { validate: validateDownwardAPIFile },
);

const fieldPaths = ['metadata.name', 'metadata.namespace', 'metadata.labels', 'metadata.annotations'];

function validateDownwardAPIFile({ fieldRef }: DownwardAPIVolumeFile, path: Path, errors: FieldErrors): void {
  validateFieldPath(fieldRef, fieldPaths, path.at('fieldRef'), errors);
}

const downwardAPIFields = {
  items: list(downwardAPIVolumeFile, 'The files.'),
};
export interface DownwardAPIVolumeSource extends FieldsOf<typeof downwardAPIFields> {}
export const downwardAPIVolumeSource: ObjectSchema<DownwardAPIVolumeSource> = object(
  'v1.DownwardAPIVolumeSource',
  'Fields of the pod as files.',
  downwardAPIFields,
);

// Neither is looked at here, as in the reference: nodes refuse what leads out of the volume.
const keyToPathFields = {
  key: string('Key of the value.').mandatory().always(''),
  path: string('Name of the file, as a relative path.').mandatory().always(''),
};
export interface KeyToPath extends FieldsOf<typeof keyToPathFields> {}
const keyToPath: ObjectSchema<KeyToPath> = object(
  'v1.KeyToPath',
  'A key, and the file that its value goes to.',
  keyToPathFields,
);

const configMapFields = {
  name: string('Name of the config map.').mandatory(),
  items: list(keyToPath, 'Which keys become files; all of them unless given.'),
};
export interface ConfigMapVolumeSource extends FieldsOf<typeof configMapFields> {}
export const configMapVolumeSource: ObjectSchema<ConfigMapVolumeSource> = object(
  'v1.ConfigMapVolumeSource',
  'The values of a config map as files.',
  configMapFields,
);
