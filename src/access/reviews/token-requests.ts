import { formatTime, type Clock } from '../../base/clock.ts';
import { pod, type Pod } from '../../kinds/core/pod.ts';
import { secret } from '../../kinds/core/secret.ts';
import { serviceAccount } from '../../kinds/core/service-account.ts';
import {
  tokenRequest,
  type BoundObjectReference,
  type TokenRequest,
} from '../../kinds/authentication/token-request.ts';
import type { Kind } from '../../kinds/kind.ts';
import { badRequest, conflict, forbidden, notFound } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { QuestionKind, Question } from '../../registry/answered-kind.ts';
import type { Storage } from '../../storage/storage.ts';
import type { BoundObject } from '../authn/accounts/account-claims.ts';
import type { AccountTokens } from '../authn/accounts/account-tokens.ts';
import { nodeNameOf } from '../authz/node/node-name.ts';
import { readObject } from '../read-object.ts';

export interface TokenRequestsParts {
  readonly tokens: AccountTokens;
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Hands out tokens of service accounts that end by themselves: POST to `serviceaccounts/<name>/token`. */
export function tokenRequests(parts: TokenRequestsParts): QuestionKind<TokenRequest> {
  return {
    kind: tokenRequest,
    parent: { kind: serviceAccount, subresource: 'token' },
    answer: (request, question) => issue(parts, request, question),
  };
}

async function issue(parts: TokenRequestsParts, request: TokenRequest, question: Question): Promise<TokenRequest> {
  const { tokens, storage, clock } = parts;
  const { namespace, name } = question;
  const { audiences = [tokens.issuer], expirationSeconds = 3600, boundObjectRef } = request.spec ?? {};
  const account = await readObject(storage, serviceAccount, namespace, name);
  if (!account) throw notFound({ resource: serviceAccount.resource, name });
  checkNode(question, boundObjectRef);
  const bound = boundObjectRef && (await findBound(storage, question, boundObjectRef));
  const notBefore = Math.floor(clock.now() / 1000);
  const expires = notBefore + expirationSeconds;
  const claims = { namespace, account: identityOf(account), ...bound, audiences, notBefore, expires };
  const status = { expirationTimestamp: formatTime(expires * 1000) };
  const spec = { ...request.spec, audiences, expirationSeconds };
  return {
    ...request,
    metadata: { ...request.metadata, creationTimestamp: formatTime(clock.now()) },
    spec,
    status: question.dryRun ? status : { token: tokens.issueBoundToken(claims), ...status },
  };
}

/** The agent of a node acts for the accounts of its pods only as long as these are there. */
function checkNode({ user, name }: Question, ref: BoundObjectReference | undefined): void {
  if (!nodeNameOf(user) || (ref?.kind === 'Pod' && ref.uid)) return;
  const subject = { resource: `${serviceAccount.resource}/token`, name };
  throw forbidden(subject, 'the agent of a node must bind tokens to pods, by name and uid');
}

async function findBound(
  storage: Storage,
  { namespace, name, user }: Question,
  ref: BoundObjectReference,
): Promise<{ pod: BoundObject } | { secret: BoundObject }> {
  const kind: Kind = ref.kind === 'Pod' ? pod : secret;
  const found = await readObject(storage, kind, namespace, ref.name);
  const subject = { resource: kind.resource, name: ref.name };
  if (!found) throw notFound(subject);
  const identity = identityOf(found);
  if (ref.uid && ref.uid !== identity.uid)
    throw conflict(subject, `the object there now has another uid than ${ref.uid}`);
  if (kind !== pod) return { secret: identity };
  const { serviceAccountName, nodeName } = (found as Pod).spec;
  if (serviceAccountName !== name) throw badRequest(`pod "${ref.name}" does not run as service account "${name}"`);
  const node = nodeNameOf(user);
  if (node && nodeName !== node) throw forbidden(subject, `the pod is not on node "${node}"`);
  return { pod: identity };
}

function identityOf({ metadata }: ApiObject): BoundObject {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}
