import { isDeepStrictEqual } from 'node:util';
import { forbidden, notFound } from '../../../kinds/meta/api-error.ts';
import { clusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole, type ClusterRole } from '../../../kinds/rbac/cluster-role.ts';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import { rbacGroup } from '../../../kinds/rbac/rbac-group.ts';
import { roleBinding, type RoleBinding } from '../../../kinds/rbac/role-binding.ts';
import { role } from '../../../kinds/rbac/role.ts';
import type { Kind } from '../../../kinds/kind.ts';
import type { AdmissionPlugin, Attempt } from '../../../registry/admission.ts';
import { everything } from '../always-allow.ts';
import type { Authorizer } from '../authorizer.ts';
import { mastersGroup } from '../masters.ts';
import { missingRules } from './missing-rules.ts';
import { rbacAuthorizer, type FollowedRoles } from './rbac-authorizer.ts';
import { describeRules } from './describe-rules.ts';

export interface EscalationGuardParts {
  readonly roles: FollowedRoles;
  /** Whom it allows the verb `escalate` on a role, or `bind`, may hand out what they do not have. */
  readonly authorizer: Authorizer;
}

/** Nobody hands out more rights than they have themselves, be it by writing them into a role or by binding one. */
export function escalationGuard(parts: EscalationGuardParts): AdmissionPlugin {
  return {
    name: 'EscalationGuard',
    kinds: [role, clusterRole, roleBinding, clusterRoleBinding] as readonly Kind[],
    async reserve(attempt) {
      const { kind, operation, user } = attempt;
      if (operation === 'delete' || user.groups.includes(mastersGroup)) return undefined;
      if (kind === role || kind === clusterRole) await guardRole(parts, attempt);
      else if (kind === roleBinding || kind === clusterRoleBinding) await guardBinding(parts, attempt);
      return undefined;
    },
  };
}

async function guardRole(parts: EscalationGuardParts, attempt: Attempt): Promise<void> {
  const { kind, object, old, namespace, name } = attempt;
  const after = object as ClusterRole;
  const before: ClusterRole | undefined = old;
  if (before && givesTheSame(after, before)) return;
  if (await mayUse('escalate', parts, attempt, { resource: kind.resource, namespace, name })) return;
  // What a role made of others will allow one day is not known, so it takes all rights to make one.
  await confirmHeld(parts, attempt, after.aggregationRule ? everything : (after.rules ?? []));
}

/** Labels count, too: they can make a role's rules part of another one's. */
function givesTheSame(after: ClusterRole, before: ClusterRole): boolean {
  return (
    isDeepStrictEqual(after.rules ?? [], before.rules ?? []) &&
    isDeepStrictEqual(after.aggregationRule, before.aggregationRule) &&
    isDeepStrictEqual(after.metadata.labels ?? {}, before.metadata.labels ?? {})
  );
}

async function guardBinding(parts: EscalationGuardParts, attempt: Attempt): Promise<void> {
  const { object, old, namespace } = attempt;
  const { roleRef, subjects = [] } = object as RoleBinding;
  if (old && isDeepStrictEqual(subjects, (old as RoleBinding).subjects ?? [])) return;
  const resource = roleRef.kind === 'ClusterRole' ? clusterRole.resource : role.resource;
  if (await mayUse('bind', parts, attempt, { resource, namespace, name: roleRef.name })) return;
  const index = await parts.roles.get();
  const rules = index.rulesOf(roleRef, namespace);
  if (!rules) throw notFound({ group: rbacGroup, resource, name: roleRef.name });
  await confirmHeld(
    parts,
    attempt,
    rules.map(({ rule }) => rule),
  );
}

interface RoleName {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

async function mayUse(verb: string, parts: EscalationGuardParts, { user }: Attempt, named: RoleName): Promise<boolean> {
  const { resource, namespace, name } = named;
  const action = { verb, path: '', group: rbacGroup, resource, namespace: namespace || undefined, name };
  const { allowed } = await parts.authorizer.authorize(user, action);
  return allowed;
}

async function confirmHeld(
  { roles }: EscalationGuardParts,
  { kind, name, user, namespace }: Attempt,
  rules: readonly PolicyRule[],
): Promise<void> {
  const held = await rbacAuthorizer(roles).rightsOf(user, namespace);
  const missing = missingRules(held.rules, rules);
  if (missing.length === 0) return;
  const who = `user ${JSON.stringify(user.name)}`;
  throw forbidden(
    { group: kind.group, resource: kind.resource, name },
    `${who} cannot hand out rights that they do not have: ${describeRules(missing)}`,
  );
}
