import type { Authorizer } from './authorizer.ts';

/** Everybody may do everything. */
export function alwaysAllow(): Authorizer {
  return {
    authorize: () => ({ allowed: true, reason: 'everything is allowed' }),
    rightsOf: () => ({ rules: everything }),
  };
}

/** Rules that allow all there is. */
export const everything = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
