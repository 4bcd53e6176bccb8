import type { Claims } from './jwt.ts';

/** An object that a token is bound to: it, and no later one of its name, must be there. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

/** What a token of an account says. */
export interface AccountClaims {
  readonly namespace: string;
  readonly account: BoundObject;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
}

/** Of a token with an end. Times in seconds since the epoch. */
export interface BoundClaims extends AccountClaims {
  readonly audiences: readonly string[];
  readonly notBefore: number;
  readonly expires: number;
}

/** Of a token that is kept in a secret, and good for as long as it is there. */
export interface SecretClaims extends Pick<AccountClaims, 'namespace' | 'account'> {
  readonly secretName: string;
}

export const secretIssuer = 'kubernetes/serviceaccount';
const secretPrefix = 'kubernetes.io/serviceaccount';
const boundClaim = 'kubernetes.io';

export function encodeSecretClaims({ namespace, account, secretName }: SecretClaims, subject: string): Claims {
  return {
    iss: secretIssuer,
    [`${secretPrefix}/namespace`]: namespace,
    [`${secretPrefix}/secret.name`]: secretName,
    [`${secretPrefix}/service-account.name`]: account.name,
    [`${secretPrefix}/service-account.uid`]: account.uid,
    sub: subject,
  };
}

/** Undefined where a claim is missing or of another type. */
export function decodeSecretClaims(claims: Claims): SecretClaims | undefined {
  const namespace = claims[`${secretPrefix}/namespace`];
  const secretName = claims[`${secretPrefix}/secret.name`];
  const account = boundObject({
    name: claims[`${secretPrefix}/service-account.name`],
    uid: claims[`${secretPrefix}/service-account.uid`],
  });
  if (typeof namespace !== 'string' || typeof secretName !== 'string' || !account) return undefined;
  return { namespace, account, secretName };
}

export function encodeBoundClaims(
  bound: BoundClaims,
  { issuer, subject }: { issuer: string; subject: string },
): Claims {
  const { namespace, account, pod, secret, audiences, notBefore, expires } = bound;
  return {
    iss: issuer,
    sub: subject,
    aud: audiences,
    iat: notBefore,
    nbf: notBefore,
    exp: expires,
    [boundClaim]: { namespace, pod, secret, serviceaccount: account },
  };
}

/** Undefined where a claim is missing or of another type. */
export function decodeBoundClaims(claims: Claims): BoundClaims | undefined {
  const { aud, nbf, exp } = claims;
  const { namespace, serviceaccount, pod, secret } = (claims[boundClaim] ?? {}) as Claims;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  const account = boundObject(serviceaccount);
  if (!Array.isArray(audiences) || typeof namespace !== 'string' || !account) return undefined;
  if (typeof nbf !== 'number' || typeof exp !== 'number') return undefined;
  const bound = { pod: boundObject(pod), secret: boundObject(secret) };
  if ((pod !== undefined && !bound.pod) || (secret !== undefined && !bound.secret)) return undefined;
  return { namespace, account, ...bound, audiences: audiences.map(String), notBefore: nbf, expires: exp };
}

function boundObject(value: unknown): BoundObject | undefined {
  const { name, uid } = (typeof value === 'object' && value !== null ? value : {}) as Claims;
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}
