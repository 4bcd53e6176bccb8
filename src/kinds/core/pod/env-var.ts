import { object, one, string, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { objectFieldSelector } from './object-field-selector.ts';

const configMapKeySelectorFields = {
  name: string('Name of the config map.').mandatory(),
  key: string('Key of the value in it.').mandatory(),
};
export interface ConfigMapKeySelector extends FieldsOf<typeof configMapKeySelectorFields> {}
export const configMapKeySelector: ObjectSchema<ConfigMapKeySelector> = object(
  'v1.ConfigMapKeySelector',
  'One value of a config map.',
  configMapKeySelectorFields,
);

const secretKeySelectorFields = {
  name: string('Name of the secret.').mandatory(),
  key: string('Key of the value in it.').mandatory(),
};
export interface SecretKeySelector extends FieldsOf<typeof secretKeySelectorFields> {}
export const secretKeySelector: ObjectSchema<SecretKeySelector> = object(
  'v1.SecretKeySelector',
  'One value of a secret.',
  secretKeySelectorFields,
);

const envVarSourceFields = {
  fieldRef: one(objectFieldSelector, 'A field of the pod.'),
  configMapKeyRef: one(configMapKeySelector, 'A value of a config map.'),
  secretKeyRef: one(secretKeySelector, 'A value of a secret.'),
};
export interface EnvVarSource extends FieldsOf<typeof envVarSourceFields> {}
export const envVarSource: ObjectSchema<EnvVarSource> = object(
  'v1.EnvVarSource',
  'Where the value of a variable comes from.',
  envVarSourceFields,
);

const envVarFields = {
  name: string('Name of the variable.').mandatory(),
  value: string('Its value; $(NAME) stands for variables defined before.'),
  valueFrom: one(envVarSource, 'Where the value comes from, when it is not given here.'),
};
export interface EnvVar extends FieldsOf<typeof envVarFields> {}
export const envVar: ObjectSchema<EnvVar> = object(
  'v1.EnvVar',
  'A variable in the environment of a container.',
  envVarFields,
);
