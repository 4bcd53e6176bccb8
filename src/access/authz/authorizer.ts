import type { PolicyRule } from '../../kinds/rbac/policy-rule.ts';
import type { User } from '../../registry/write.ts';
import type { RequestAction } from './request-action.ts';

/** Whether an authorizer allows a request. One that does not leaves it to others. */
export interface Verdict {
  readonly allowed: boolean;
  /** Why it is allowed, for people; nobody is told why it is not. */
  readonly reason: string;
}

export const notAllowed: Verdict = { allowed: false, reason: '' };

/** What an authorizer knows beforehand. */
export interface RightsList {
  readonly rules: readonly PolicyRule[];
  /** Why there may be more than these, where that is so. */
  readonly incomplete?: string;
}

/** Decides who may do what. Never changes anything, and refuses when in doubt. */
export interface Authorizer {
  authorize(user: User, action: RequestAction): Verdict | Promise<Verdict>;
  /** Rules that hold for a user in a namespace. */
  rightsOf(user: User, namespace: string): RightsList | Promise<RightsList>;
}
