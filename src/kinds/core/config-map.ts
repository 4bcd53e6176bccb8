import { stringMap, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';

const configMapFields = {
  data: stringMap('Texts by key; a key can become a file name.'),
};
export interface ConfigMap extends ApiObject, FieldsOf<typeof configMapFields> {}

const dataKeyShape = /^[-._a-zA-Z0-9]+$/;

function validateData(configMap: ConfigMap, _path: Path, errors: FieldErrors): void {
  const path = Path.of('data');
  for (const key of Object.keys(configMap.data ?? {})) {
    if (key.length > 253 || !dataKeyShape.test(key) || key === '.' || key === '..') {
      errors.invalid(path.key(key), key, 'use at most 253 letters, digits, "-", "_" and "."');
    }
  }
}

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
    { validate: validateData },
  ),
  example: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'settings' }, data: { colour: 'blue' } },
});
