import { accountUserName } from '../account-name.ts';
import { encodeSecretClaims, type SecretClaims } from './account-claims.ts';
import type { SigningKey } from './account-keys.ts';
import { signJwt } from './jwt.ts';

/** A token to be kept in a secret of its account's namespace: good for as long as it stands there, under `token`. */
export function signSecretToken(claims: SecretClaims, key: SigningKey): string {
  return signJwt(encodeSecretClaims(claims, accountUserName(claims.namespace, claims.account.name)), key);
}
