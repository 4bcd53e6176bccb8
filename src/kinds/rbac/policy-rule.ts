import { object, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const policyRuleFields = {
  verbs: strings('What may be done, such as get or update; * for everything.').mandatory(),
  apiGroups: strings('Groups of the resources; "" is the core group, * all of them.'),
  resources: strings('Path segments of resources and sub-resources, such as pods or pods/log; * for all.'),
  resourceNames: strings('The only objects that the rule is about; all when absent.'),
  nonResourceURLs: strings('Paths that are no resources; * may stand for the end of a path.'),
};
/** What may be done with some resources, or at some paths. */
export interface PolicyRule extends FieldsOf<typeof policyRuleFields> {}
export const policyRule: ObjectSchema<PolicyRule> = object(
  'v1.PolicyRule',
  'Allows some verbs on some resources, or at some paths.',
  policyRuleFields,
  { validate: validateRule },
);

function validateRule(rule: PolicyRule, path: Path, errors: FieldErrors): void {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (nonResourceURLs.length === 0) {
    if (apiGroups.length === 0) errors.required(path.at('apiGroups'), 'a rule about resources names their groups');
    if (resources.length === 0) errors.required(path.at('resources'), 'a rule about resources names at least one');
    return;
  }
  if (apiGroups.length + resources.length + resourceNames.length > 0) {
    errors.invalid(path.at('nonResourceURLs'), nonResourceURLs, 'a rule is about resources or about paths, not both');
  }
}

/** Paths belong to the whole cluster, so no rule of a namespace can be about them. */
export function forbidPaths(rules: readonly PolicyRule[], path: Path, errors: FieldErrors): void {
  rules.forEach(({ nonResourceURLs = [] }, index) => {
    if (nonResourceURLs.length === 0) return;
    const where = path.index(index).at('nonResourceURLs');
    errors.invalid(where, nonResourceURLs, 'paths are no part of a namespace; use a ClusterRole');
  });
}
