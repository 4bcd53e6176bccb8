import type { IncomingMessage } from 'node:http';
import { unauthorized } from '../../kinds/meta/api-error.ts';
import type { User } from '../../registry/write.ts';
import { anonymousUser } from './anonymous.ts';

/** A member of this group is whoever showed good credentials. */
export const authenticatedGroup = 'system:authenticated';

/** What a request's credential of one kind says: who sends it, that there is none, or that it is no good. */
export type Finding = User | 'absent' | 'refused';

/** Looks at one kind of credential. */
export interface Authenticator {
  authenticate(request: IncomingMessage): Finding | Promise<Finding>;
}

/** Knows tokens of one make. */
export interface TokenAuthenticator {
  /** Whose token it is; undefined for one that is unknown, over or meant for somebody else than these audiences (by default, this server). */
  identify(token: string, audiences?: readonly string[]): TokenOwner | undefined | Promise<TokenOwner | undefined>;
}

export interface TokenOwner {
  readonly user: User;
  /** Whom the token is for, where it says so: those of the audiences asked for. */
  readonly audiences?: readonly string[];
}

export interface RequestAuthenticationOptions {
  readonly authenticators: readonly Authenticator[];
  /** Whether a request without credentials is taken, as one of nobody known. */
  readonly anonymous: boolean;
}

/**
 * Who sends a request: the first authenticator that knows the sender decides. Refuses with 401 what only carries credentials that are no good: such a
 * request is never taken for an anonymous one.
 */
export function authenticateRequest(
  request: IncomingMessage,
  options: RequestAuthenticationOptions,
): User | Promise<User> {
  // Most senders are known by the first, and by looking.
  const finding = options.authenticators[0]?.authenticate(request) ?? 'absent';
  const isKnown = typeof finding === 'object' && !(finding instanceof Promise);
  return isKnown ? finding : askOthers(request, finding, options);
}

async function askOthers(
  request: IncomingMessage,
  first: Finding | Promise<Finding>,
  { authenticators, anonymous }: RequestAuthenticationOptions,
): Promise<User> {
  let finding = await first;
  let refused = finding === 'refused';
  for (const authenticator of authenticators.slice(1)) {
    if (typeof finding === 'object') break;
    finding = await authenticator.authenticate(request);
    if (finding === 'refused') refused = true;
  }
  if (typeof finding === 'object') return finding;
  if (refused) throw unauthorized('the credentials that were shown are not good');
  if (anonymous) return anonymousUser;
  throw unauthorized('show a client certificate or a bearer token that this server knows');
}
