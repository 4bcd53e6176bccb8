import { everything } from './always-allow.ts';
import { notAllowed, type Authorizer } from './authorizer.ts';

/** Members of this group may do everything, whatever else is configured. */
export const mastersGroup = 'system:masters';

export function mastersAuthorizer(): Authorizer {
  const verdict = { allowed: true, reason: `members of ${mastersGroup} may do everything` };
  return {
    authorize: ({ groups }) => (groups.includes(mastersGroup) ? verdict : notAllowed),
    rightsOf: ({ groups }) => ({ rules: groups.includes(mastersGroup) ? everything : [] }),
  };
}
