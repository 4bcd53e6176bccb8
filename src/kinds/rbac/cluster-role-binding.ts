import { list, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { bindingColumns } from './binding-columns.ts';
import { rbacApiVersion, rbacGroup } from './rbac-group.ts';
import { rbacName } from './rbac-name.ts';
import { checkRoleKind, checkSameRole, roleRef } from './role-ref.ts';
import { requireNamespaces, subject } from './subject.ts';

const clusterRoleBindingFields = {
  subjects: list(subject, 'Who is given the role everywhere.'),
  roleRef: one(roleRef, 'The ClusterRole that is given; it cannot be changed.').mandatory(),
};
export interface ClusterRoleBinding extends ApiObject, FieldsOf<typeof clusterRoleBindingFields> {}

function validateBinding({ subjects = [], roleRef }: ClusterRoleBinding, path: Path, errors: FieldErrors): void {
  requireNamespaces(subjects, path.at('subjects'), errors);
  checkRoleKind(roleRef, ['ClusterRole'], errors);
}

export const clusterRoleBinding: Kind<ClusterRoleBinding> = defineKind<ClusterRoleBinding>({
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  resource: 'clusterrolebindings',
  namespaced: false,
  nameFormat: rbacName,
  schema: kindSchema(
    { apiVersion: rbacApiVersion, kind: 'ClusterRoleBinding', description: 'Gives users a role in the whole cluster.' },
    clusterRoleBindingFields,
    { validate: validateBinding },
  ),
  validateUpdate: (binding, old, errors) => checkSameRole(binding.roleRef, old.roleRef, errors),
  columns: bindingColumns,
  example: {
    kind: 'ClusterRoleBinding',
    apiVersion: rbacApiVersion,
    metadata: { name: 'read-nodes' },
    subjects: [{ kind: 'Group', name: 'operators' }],
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'node-reader' },
  },
});
