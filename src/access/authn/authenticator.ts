import type { IncomingMessage } from 'node:http';
import type { User } from '../../registry/write.ts';

/** Finds out who sends a request, by one kind of credential; undefined when the request carries none of that kind that is good. */
export interface Authenticator {
  authenticate(request: IncomingMessage): User | undefined;
}

/** A member of this group is whoever showed good credentials. */
export const authenticatedGroup = 'system:authenticated';

/** Tries one after the other; the first that knows the sender decides. */
export function firstAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return {
    authenticate(request) {
      for (const authenticator of authenticators) {
        const user = authenticator.authenticate(request);
        if (user) return user;
      }
      return undefined;
    },
  };
}
