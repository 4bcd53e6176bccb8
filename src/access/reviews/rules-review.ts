import {
  selfSubjectRulesReview,
  type NonResourceRule,
  type ResourceRule,
  type SelfSubjectRulesReview,
} from '../../kinds/authorization/self-subject-rules-review.ts';
import type { PolicyRule } from '../../kinds/rbac/policy-rule.ts';
import type { QuestionKind } from '../../registry/answered-kind.ts';
import type { Authorizer } from '../authz/authorizer.ts';

/** Lists what the sender may do in a namespace. */
export function rulesReview(authorizer: Authorizer): QuestionKind<SelfSubjectRulesReview> {
  return {
    kind: selfSubjectRulesReview,
    async answer(review, { user }) {
      const { rules, incomplete } = await authorizer.rightsOf(user, review.spec.namespace);
      const isAboutPaths = ({ nonResourceURLs = [] }: PolicyRule): boolean => nonResourceURLs.length > 0;
      const status = {
        resourceRules: rules.filter((rule) => !isAboutPaths(rule)).map(resourceRule),
        nonResourceRules: rules.filter(isAboutPaths).map(nonResourceRule),
        incomplete: incomplete !== undefined,
        evaluationError: incomplete,
      };
      return { ...review, status };
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): ResourceRule {
  return { verbs, apiGroups, resources, resourceNames };
}

function nonResourceRule({ verbs, nonResourceURLs }: PolicyRule): NonResourceRule {
  return { verbs, nonResourceURLs };
}
