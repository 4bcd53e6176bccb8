import type { User } from '../../registry/write.ts';

/** A member of this group is whoever showed no credentials. */
export const anonymousGroup = 'system:unauthenticated';
export const anonymousName = 'system:anonymous';

/** Who sends a request that says nothing about its sender. */
export const anonymousUser: User = { name: anonymousName, groups: [anonymousGroup] };
