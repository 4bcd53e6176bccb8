import { object, one, string, type FieldsOf } from '../../../schema/builders.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import { cIdentifier, dataKey } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { objectFieldSelector, validateFieldPath } from './object-field-selector.ts';

const configMapKeySelectorFields = {
  name: string('Name of the config map.').mandatory(),
  key: string('Key of the value in it.', dataKey).mandatory(),
};
export interface ConfigMapKeySelector extends FieldsOf<typeof configMapKeySelectorFields> {}
const configMapKeySelector: ObjectSchema<ConfigMapKeySelector> = object(
  'v1.ConfigMapKeySelector',
  'One value of a config map.',
  configMapKeySelectorFields,
);

const secretKeySelectorFields = {
  name: string('Name of the secret.').mandatory(),
  key: string('Key of the value in it.', dataKey).mandatory(),
};
export interface SecretKeySelector extends FieldsOf<typeof secretKeySelectorFields> {}
const secretKeySelector: ObjectSchema<SecretKeySelector> = object(
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
const envVarSource: ObjectSchema<EnvVarSource> = object(
  'v1.EnvVarSource',
  'Where the value of a variable comes from.',
  envVarSourceFields,
);

const envVarFields = {
  name: string('Name of the variable.', cIdentifier).mandatory(),
  value: string('Its value; $(NAME) stands for variables defined before.'),
  valueFrom: one(envVarSource, 'Where the value comes from, when it is not given here.'),
};
export interface EnvVar extends FieldsOf<typeof envVarFields> {}
export const envVar: ObjectSchema<EnvVar> = object(
  'v1.EnvVar',
  'A variable in the environment of a container.',
  envVarFields,
  { validate: validateSource },
);

const fieldPaths = ['metadata.name', 'metadata.namespace', 'status.podIP'];

function validateSource({ value, valueFrom }: EnvVar, path: Path, errors: FieldErrors): void {
  if (!valueFrom) return;
  const { fieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const place = path.at('valueFrom');
  if (fieldRef) validateFieldPath(fieldRef, fieldPaths, place.at('fieldRef'), errors);
  const sources = [fieldRef, configMapKeyRef, secretKeyRef].filter((source) => source !== undefined).length;
  if (value) {
    if (sources > 0) errors.invalid(place, '', 'cannot be given when value is');
  } else if (sources !== 1) {
    errors.invalid(place, '', 'must have exactly one of fieldRef, configMapKeyRef and secretKeyRef');
  }
}
