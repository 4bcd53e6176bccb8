import { sign, verify, type KeyObject } from 'node:crypto';
import type { JwtAlgorithm, SigningKey, VerifyingKey } from './account-keys.ts';

export type Claims = Readonly<Record<string, unknown>>;

const hashes: Readonly<Record<JwtAlgorithm, string>> = {
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  RS256: 'sha256',
};

/** A JSON Web Token, signed. */
export function signJwt(claims: Claims, { id, algorithm, privateKey }: SigningKey): string {
  const head = encode({ alg: algorithm, kid: id });
  const content = `${head}.${encode(claims)}`;
  const signature = sign(hashes[algorithm], Buffer.from(content), keyOptions(privateKey));
  return `${content}.${signature.toString('base64url')}`;
}

/** The claims of a token that one of these keys signed; undefined for anything else. What they say is not looked at. */
export function openJwt(token: string, keys: readonly VerifyingKey[]): Claims | undefined {
  const [head = '', body = '', signed = '', ...rest] = token.split('.');
  const header = rest.length > 0 ? undefined : decodeObject(head);
  const signature = decode(signed);
  if (!header || !signature) return undefined;
  // The key says how it signs: a token that names another way is not taken at its word.
  const candidates = keys.filter(({ id, algorithm }) => header['alg'] === algorithm && (header['kid'] ?? id) === id);
  const content = Buffer.from(`${head}.${body}`);
  const isSigned = candidates.some(({ algorithm, publicKey }) =>
    verify(hashes[algorithm], content, keyOptions(publicKey), signature),
  );
  return isSigned ? decodeObject(body) : undefined;
}

/** Elliptic-curve signatures are two numbers side by side in tokens; RSA takes no notice. */
function keyOptions(key: KeyObject): { key: KeyObject; dsaEncoding: 'ieee-p1363' } {
  return { key, dsaEncoding: 'ieee-p1363' };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Only in the one spelling that encoding gives: a token that was changed in any place is another token. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}

function decodeObject(text: string): Claims | undefined {
  const bytes = decode(text);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}
