import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { pod } from '../../../kinds/core/pod.ts';
import { secret } from '../../../kinds/core/secret.ts';
import { serviceAccount } from '../../../kinds/core/service-account.ts';
import type { Kind } from '../../../kinds/kind.ts';
import type { User } from '../../../registry/write.ts';
import type { Storage } from '../../../storage/storage.ts';
import { readObject } from '../../read-object.ts';
import { accountGroups, accountUserName } from '../account-name.ts';
import { authenticatedGroup, type TokenAuthenticator, type TokenOwner } from '../authenticator.ts';
import {
  decodeBoundClaims,
  decodeSecretClaims,
  encodeBoundClaims,
  secretIssuer,
  type AccountClaims,
  type BoundClaims,
  type BoundObject,
  type SecretClaims,
} from './account-claims.ts';
import type { AccountKeys } from './account-keys.ts';
import { openJwt, signJwt, type Claims } from './jwt.ts';
import { RecentTokens } from './recent-tokens.ts';
import { signSecretToken } from './sign-secret-token.ts';

export interface AccountTokensParts {
  readonly keys: AccountKeys;
  readonly storage: Storage;
  readonly clock: Clock;
  /** Who signs, as tokens name it; also the audience of tokens that name none. */
  readonly issuer: string;
}

/** How far the clocks of two servers may be apart. */
const clockTolerance = 60;

/** Makes the tokens of service accounts and knows them again. What a token is bound to must be there whenever it is used. */
export class AccountTokens implements TokenAuthenticator {
  readonly #parts: AccountTokensParts;
  readonly #opened = new RecentTokens<Claims>();

  constructor(parts: AccountTokensParts) {
    this.#parts = parts;
  }

  get issuer(): string {
    return this.#parts.issuer;
  }

  /** A token to be kept in a secret; see `signSecretToken`. */
  issueServiceAccountToken(claims: SecretClaims): string {
    return signSecretToken(claims, this.#parts.keys.signing);
  }

  /** A token with an end. */
  issueBoundToken(claims: BoundClaims): string {
    const subject = accountUserName(claims.namespace, claims.account.name);
    const { issuer, keys } = this.#parts;
    return signJwt(encodeBoundClaims(claims, { issuer, subject }), keys.signing);
  }

  async identify(token: string, audiences?: readonly string[]): Promise<TokenOwner | undefined> {
    const claims = this.#open(token);
    if (claims?.['iss'] === this.#parts.issuer) return this.#identifyBound(claims, audiences);
    if (claims?.['iss'] === secretIssuer) return this.#identifySecret(token, claims, audiences);
    return undefined;
  }

  /** Checking a signature takes a hundred times as long as looking for a digest. */
  #open(token: string): Claims | undefined {
    const known = this.#opened.get(token);
    if (known) return known;
    const claims = openJwt(token, this.#parts.keys.verifying);
    if (claims) this.#opened.set(token, claims);
    return claims;
  }

  async #identifyBound(claims: Claims, asked: readonly string[] | undefined): Promise<TokenOwner | undefined> {
    const bound = decodeBoundClaims(claims);
    if (!bound) return undefined;
    const now = this.#parts.clock.now() / 1000;
    if (now >= bound.expires || now < bound.notBefore - clockTolerance) return undefined;
    const audiences = (asked ?? [this.#parts.issuer]).filter((audience) => bound.audiences.includes(audience));
    if (audiences.length === 0 || !(await this.#isAlive(bound))) return undefined;
    return { user: userOf(bound), audiences: asked && audiences };
  }

  async #identifySecret(
    token: string,
    claims: Claims,
    asked: readonly string[] | undefined,
  ): Promise<TokenOwner | undefined> {
    const legacy = decodeSecretClaims(claims);
    const { issuer, storage } = this.#parts;
    if (!legacy || (asked && !asked.includes(issuer))) return undefined;
    const kept = await readObject(storage, secret, legacy.namespace, legacy.secretName);
    const text = Buffer.from(kept?.data?.['token'] ?? '', 'base64').toString('utf8');
    if (!isSame(text, token) || !(await this.#isAlive(legacy))) return undefined;
    return { user: userOf(legacy), audiences: asked && [issuer] };
  }

  async #isAlive({ namespace, account, ...bound }: AccountClaims): Promise<boolean> {
    const objects = [
      [serviceAccount, account],
      [pod, bound.pod],
      [secret, bound.secret],
    ] as const;
    for (const [kind, object] of objects) {
      if (object && !(await this.#isThere(kind, namespace, object))) return false;
    }
    return true;
  }

  async #isThere(kind: Kind, namespace: string, { name, uid }: BoundObject): Promise<boolean> {
    const found = await readObject(this.#parts.storage, kind, namespace, name);
    return found?.metadata.uid === uid;
  }
}

function userOf({ namespace, account, pod }: AccountClaims): User {
  const groups = [...accountGroups(namespace), authenticatedGroup];
  const user = { name: accountUserName(namespace, account.name), uid: account.uid, groups };
  if (!pod) return user;
  const prefix = 'authentication.kubernetes.io';
  return { ...user, extra: { [`${prefix}/pod-name`]: [pod.name], [`${prefix}/pod-uid`]: [pod.uid] } };
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
