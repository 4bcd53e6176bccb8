import { TLSSocket } from 'node:tls';
import { AccountTokens } from '../access/authn/accounts/account-tokens.ts';
import { ensureAccountKeys, readAccountKeys, type AccountKeys } from '../access/authn/accounts/account-keys.ts';
import { authenticateRequest, authenticatedGroup, type TokenAuthenticator } from '../access/authn/authenticator.ts';
import { bearerTokenAuthenticator, firstKnowing } from '../access/authn/bearer-token.ts';
import { clientCertificateAuthenticator } from '../access/authn/client-certificate.ts';
import { impersonate } from '../access/authn/impersonation.ts';
import { readTokenFile } from '../access/authn/token-file.ts';
import type { Authorizer, Verdict } from '../access/authz/authorizer.ts';
import { mastersGroup } from '../access/authz/masters.ts';
import { openAuthorizer } from '../access/authz/modes.ts';
import { nodeRestriction } from '../access/authz/node/node-restriction.ts';
import { escalationGuard } from '../access/authz/rbac/escalation-guard.ts';
import { followRoles } from '../access/authz/rbac/rbac-authorizer.ts';
import { roleAggregation } from '../access/authz/rbac/role-aggregation.ts';
import { actionRefusal } from '../access/authz/refusal.ts';
import { accessReviews } from '../access/reviews/access-reviews.ts';
import { selfReview, tokenReviews } from '../access/reviews/identity-reviews.ts';
import { rulesReview } from '../access/reviews/rules-review.ts';
import { tokenRequests } from '../access/reviews/token-requests.ts';
import type { Clock } from '../base/clock.ts';
import type { Admission } from '../registry/admission.ts';
import type { AnsweredKind } from '../registry/answered-kind.ts';
import { translateStorageError } from '../registry/storage-errors.ts';
import type { User } from '../registry/write.ts';
import type { Authenticate, Authorize } from '../server/request-action.ts';
import type { Storage } from '../storage/storage.ts';

/** Whoever comes in without TLS is on this machine, and was let in by its operator's wish. */
const unsecuredUser: User = { name: 'system:unsecured', groups: [mastersGroup, authenticatedGroup] };

export interface AccessOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly authorizationMode: readonly string[];
  readonly authorizationPolicyFile?: string;
  readonly anonymousAuth: boolean;
  readonly tokenAuthFile?: string;
  readonly serviceAccountKeyFile?: string;
  readonly serviceAccountIssuer: string;
  /** Where a key for the tokens of accounts is kept when no file is named; absent for memory. */
  readonly keyDirectory?: string;
  /** Writes a role anew as it is; one that is gone is no error. */
  readonly refreshRole: (name: string) => Promise<void>;
}

/** Who asks and whether they may: all that a server needs to know of it. */
export interface Access {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  readonly answeredKinds: readonly AnsweredKind[];
  /** A say in writes that nobody can choose to do without. */
  readonly plugins: Admission;
  readonly tokens: AccountTokens;
}

export async function openAccess(options: AccessOptions): Promise<Access> {
  const { storage, clock, refreshRole } = options;
  const roles = followRoles(storage);
  const { authorizationMode, authorizationPolicyFile: policyFile } = options;
  const authorizer = await openAuthorizer(authorizationMode, { storage, roles, policyFile });
  const keys = await openKeys(options);
  const accounts = new AccountTokens({ keys, storage, clock, issuer: options.serviceAccountIssuer });
  const tokens = firstKnowing(await tokenMakes(options, accounts));
  const own = tokenRequests({ tokens: accounts, storage, clock });
  return {
    authenticate: authentication(options, tokens, authorizer),
    authorize: authorization(authorizer),
    answeredKinds: [
      ...accessReviews(authorizer),
      rulesReview(authorizer),
      selfReview(),
      tokenReviews(tokens),
      own,
    ] as readonly AnsweredKind[],
    plugins: [
      nodeRestriction(),
      roleAggregation({ storage, refresh: refreshRole }),
      escalationGuard({ roles, authorizer }),
    ],
    tokens: accounts,
  };
}

function openKeys({ serviceAccountKeyFile, keyDirectory }: AccessOptions): Promise<AccountKeys> {
  return serviceAccountKeyFile === undefined ? ensureAccountKeys(keyDirectory) : readAccountKeys(serviceAccountKeyFile);
}

async function tokenMakes({ tokenAuthFile }: AccessOptions, accounts: AccountTokens): Promise<TokenAuthenticator[]> {
  return tokenAuthFile === undefined ? [accounts] : [await readTokenFile(tokenAuthFile), accounts];
}

function authentication(
  { clock, anonymousAuth }: AccessOptions,
  tokens: TokenAuthenticator,
  authorizer: Authorizer,
): Access['authenticate'] {
  const authenticators = [clientCertificateAuthenticator(clock), bearerTokenAuthenticator(tokens)];
  const options = { authenticators, anonymous: anonymousAuth };
  return (request) => {
    const isOpen = !(request.socket instanceof TLSSocket);
    const sender = isOpen ? unsecuredUser : authenticateRequest(request, options);
    const user =
      sender instanceof Promise
        ? sender.then((known) => impersonate(known, request, authorizer))
        : impersonate(sender, request, authorizer);
    return user instanceof Promise ? user.catch(rethrow) : user;
  };
}

function authorization(authorizer: Authorizer): Authorize {
  return (user, action) => {
    const check = ({ allowed }: Verdict): void => {
      if (!allowed) throw actionRefusal(user, action);
    };
    const verdict = authorizer.authorize(user, action);
    return verdict instanceof Promise ? verdict.catch(rethrow).then(check) : check(verdict);
  };
}

/** Who answers at once has not asked storage. */
function rethrow(error: unknown): never {
  throw translateStorageError(error);
}
