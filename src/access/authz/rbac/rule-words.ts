import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';

export const reading = ['get', 'list', 'watch'];
export const writing = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** A rule about resources of these groups. */
export function on(apiGroups: string[], resources: string[], verbs: string[]): PolicyRule {
  return { verbs, apiGroups, resources };
}
