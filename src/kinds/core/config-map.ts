import { stringMap, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { validateData } from './data-rules.ts';

const configMapFields = {
  data: stringMap('Texts by key; a key can become a file name.'),
};
export interface ConfigMap extends ApiObject, FieldsOf<typeof configMapFields> {}

function validateConfigMap(configMap: ConfigMap, path: Path, errors: FieldErrors): void {
  if (configMap.data) validateData(configMap.data, (text) => Buffer.byteLength(text), path.at('data'), errors);
}

const dataColumn: Column<ConfigMap> = {
  name: 'Data',
  description: 'How many keys there are.',
  type: 'integer',
  read: ({ data = {} }) => Object.keys(data).length,
};

export const configMap: Kind<ConfigMap> = defineKind<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'ConfigMap', description: 'Configuration that pods read as variables or files.' },
    configMapFields,
    { validate: validateConfigMap },
  ),
  columns: [nameColumn, dataColumn, ageColumn],
  example: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'settings' }, data: { colour: 'blue' } },
});
