import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import type { Storage } from '../../../storage/storage.ts';
import { notAllowed, type Authorizer, type Verdict } from '../authorizer.ts';
import { FollowedState } from '../followed-state.ts';
import { RoleIndex } from './role-index.ts';

/** The roles and bindings of a storage, always as they are now. */
export type FollowedRoles = FollowedState<RoleIndex>;

export function followRoles(storage: Storage): FollowedRoles {
  return new FollowedState(storage, () => new RoleIndex());
}

/** Allows what the user's roles allow. */
export function rbacAuthorizer(roles: FollowedRoles): Authorizer {
  return {
    async authorize(user, action) {
      const index = await roles.get();
      let verdict: Verdict = notAllowed;
      index.visit(user, action.resource === undefined ? undefined : action.namespace, (grant) => {
        if (!grant.rules.some((rule) => rule.allows(action))) return false;
        const { kind, name } = grant.roleRef;
        verdict = { allowed: true, reason: `${grant.binding} gives the ${kind} ${JSON.stringify(name)}` };
        return true;
      });
      return verdict;
    },
    async rightsOf(user, namespace) {
      const index = await roles.get();
      const rules: PolicyRule[] = [];
      index.visit(user, namespace, (grant) => {
        rules.push(...grant.rules.map(({ rule }) => rule));
        return false;
      });
      return { rules };
    },
  };
}
