import { list, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { bindingColumns } from './binding-columns.ts';
import { rbacApiVersion, rbacGroup } from './rbac-group.ts';
import { rbacName } from './rbac-name.ts';
import { checkRoleKind, checkSameRole, roleRef } from './role-ref.ts';
import { subject } from './subject.ts';

const roleBindingFields = {
  subjects: list(subject, 'Who is given the role in this namespace.'),
  roleRef: one(roleRef, 'The role: one of this namespace, or a ClusterRole; it cannot be changed.').mandatory(),
};
export interface RoleBinding extends ApiObject, FieldsOf<typeof roleBindingFields> {}

function validateRoleBinding(binding: RoleBinding, _path: Path, errors: FieldErrors): void {
  checkRoleKind(binding.roleRef, ['Role', 'ClusterRole'], errors);
}

export const roleBinding: Kind<RoleBinding> = defineKind<RoleBinding>({
  group: rbacGroup,
  version: 'v1',
  kind: 'RoleBinding',
  resource: 'rolebindings',
  namespaced: true,
  nameFormat: rbacName,
  schema: kindSchema(
    { apiVersion: rbacApiVersion, kind: 'RoleBinding', description: 'Gives users a role within a namespace.' },
    roleBindingFields,
    { validate: validateRoleBinding },
  ),
  validateUpdate: (binding, old, errors) => checkSameRole(binding.roleRef, old.roleRef, errors),
  columns: bindingColumns,
  example: {
    kind: 'RoleBinding',
    apiVersion: rbacApiVersion,
    metadata: { name: 'read-pods' },
    subjects: [{ kind: 'User', name: 'jane' }],
    roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'pod-reader' },
  },
});
