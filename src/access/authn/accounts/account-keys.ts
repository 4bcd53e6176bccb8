import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readFileIfThere, replacePrivateFile } from '../../../base/private-file.ts';

export type JwtAlgorithm = 'ES256' | 'ES384' | 'ES512' | 'RS256';

/** A key that tokens are checked with. */
export interface VerifyingKey {
  /** Names the key in the tokens that it signed. */
  readonly id: string;
  readonly algorithm: JwtAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

/** New tokens are signed with one key; older ones may have been signed with others. */
export interface AccountKeys {
  readonly signing: SigningKey;
  readonly verifying: readonly VerifyingKey[];
}

const generate = promisify(generateKeyPair);

/** A key of its own, kept in a directory where there is one, else for as long as the process runs. */
export async function ensureAccountKeys(directory: string | undefined): Promise<AccountKeys> {
  const path = directory === undefined ? undefined : join(directory, 'service-accounts.key');
  const kept = path === undefined ? undefined : await readFileIfThere(path);
  if (path !== undefined && kept !== undefined) return parseAccountKeys(kept, path);
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (directory !== undefined && path !== undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await replacePrivateFile(path, pem);
  }
  return parseAccountKeys(pem, path ?? 'memory');
}

/** The keys of a file that an operator keeps, so that several servers can have the same ones. */
export async function readAccountKeys(path: string): Promise<AccountKeys> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`the service account key file ${path} cannot be read`, { cause });
  }
  return parseAccountKeys(content, path);
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;

/** PEM blocks: the first private key signs, every other key only checks. Mistakes never quote the file. */
export function parseAccountKeys(content: string, path: string): AccountKeys {
  const wrong = (why: string, cause?: unknown): Error =>
    new Error(`the service account key file ${path} ${why}`, { cause });
  const verifying: VerifyingKey[] = [];
  let signing: SigningKey | undefined;
  for (const [pem, label = ''] of content.matchAll(block)) {
    if (label === 'EC PARAMETERS') continue;
    try {
      const privateKey = label.endsWith('PRIVATE KEY') ? createPrivateKey(pem) : undefined;
      const key = describeKey(createPublicKey(pem));
      verifying.push(key);
      if (privateKey) signing ??= { ...key, privateKey };
    } catch (cause) {
      throw wrong(`has a block ${JSON.stringify(label)} that cannot be used: ${(cause as Error).message}`, cause);
    }
  }
  if (!signing) throw wrong('has no private key, so that no token could be signed');
  return { signing, verifying };
}

const curves: Readonly<Record<string, JwtAlgorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const leastRsaBits = 2048;

function describeKey(publicKey: KeyObject): VerifyingKey {
  const { namedCurve = '', modulusLength = 0 } = publicKey.asymmetricKeyDetails ?? {};
  const isRsa = publicKey.asymmetricKeyType === 'rsa';
  if (isRsa && modulusLength < leastRsaBits) throw new Error(`an RSA key needs at least ${leastRsaBits} bits`);
  const algorithm = isRsa ? 'RS256' : curves[namedCurve];
  if (!algorithm) throw new Error('use an elliptic-curve key (P-256, P-384 or P-521) or an RSA key');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm, publicKey };
}
