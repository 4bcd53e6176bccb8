import { list, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { createdAtColumn, nameColumn } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { forbidPaths, policyRule } from './policy-rule.ts';
import { rbacApiVersion, rbacGroup } from './rbac-group.ts';
import { rbacName } from './rbac-name.ts';

const roleFields = {
  rules: list(policyRule, 'What those bound to the role may do.').always([]),
};
export interface Role extends ApiObject, FieldsOf<typeof roleFields> {}

function validateRole({ rules = [] }: Role, path: Path, errors: FieldErrors): void {
  forbidPaths(rules, path.at('rules'), errors);
}

export const role: Kind<Role> = defineKind<Role>({
  group: rbacGroup,
  version: 'v1',
  kind: 'Role',
  resource: 'roles',
  namespaced: true,
  nameFormat: rbacName,
  schema: kindSchema(
    { apiVersion: rbacApiVersion, kind: 'Role', description: 'Rights within one namespace, for bindings to hand out.' },
    roleFields,
    { validate: validateRole },
  ),
  columns: [nameColumn, createdAtColumn],
  example: {
    kind: 'Role',
    apiVersion: rbacApiVersion,
    metadata: { name: 'pod-reader' },
    rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }],
  },
});
