import { list, object, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { renameTypes } from '../../schema/rename-types.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { createdAtColumn, nameColumn } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import { labelSelector, selectorMistake } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { policyRule } from './policy-rule.ts';
import { rbacApiVersion, rbacGroup } from './rbac-group.ts';
import { rbacName } from './rbac-name.ts';

const aggregationRuleFields = {
  clusterRoleSelectors: list(
    renameTypes(labelSelector, 'v1beta1', 'v1'),
    'Roles that any of these selects lend their rules.',
  ).mandatory(),
};
export interface AggregationRule extends FieldsOf<typeof aggregationRuleFields> {}
const aggregationRule: ObjectSchema<AggregationRule> = object(
  'v1.AggregationRule',
  'Makes a role out of others.',
  aggregationRuleFields,
  { validate: validateAggregation },
);

const clusterRoleFields = {
  rules: list(
    policyRule,
    'What those bound to the role may do; written by the server for a role made of others.',
  ).always([]),
  aggregationRule: one(aggregationRule, 'Which roles this one is made of.'),
};
export interface ClusterRole extends ApiObject, FieldsOf<typeof clusterRoleFields> {}

function validateAggregation({ clusterRoleSelectors }: AggregationRule, path: Path, errors: FieldErrors): void {
  clusterRoleSelectors?.forEach((selector, index) => {
    const where = path.at('clusterRoleSelectors').index(index);
    const wrong = errors.anyUnder(where) ? undefined : selectorMistake(selector);
    if (wrong) errors.invalid(where, selector, wrong);
  });
}

export const clusterRole: Kind<ClusterRole> = defineKind<ClusterRole>({
  group: rbacGroup,
  version: 'v1',
  kind: 'ClusterRole',
  resource: 'clusterroles',
  namespaced: false,
  nameFormat: rbacName,
  schema: kindSchema(
    { apiVersion: rbacApiVersion, kind: 'ClusterRole', description: 'Rights that bindings hand out anywhere.' },
    clusterRoleFields,
  ),
  columns: [nameColumn, createdAtColumn],
  example: {
    kind: 'ClusterRole',
    apiVersion: rbacApiVersion,
    metadata: { name: 'node-reader' },
    rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['nodes'] }],
  },
});
