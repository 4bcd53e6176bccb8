import {
  secretTypes,
  serviceAccountNameAnnotation,
  serviceAccountUidAnnotation,
  type Secret,
} from '../../kinds/core/secret.ts';
import type { ServiceAccount } from '../../kinds/core/service-account.ts';

/** Whom a token is for, and where it is kept. */
export interface TokenClaims {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secretName: string;
}

/** Makes the token of an account. Whoever checks tokens knows how. */
export type TokenIssuer = (claims: TokenClaims) => string | Promise<string>;

export interface TokenOptions {
  readonly issueToken: TokenIssuer;
  /** The certificate (PEM) by which pods know the server, as it is now; absent where there is none. */
  readonly authority?: () => string | undefined;
}

/** A token secret for an account, with everything in it. */
export async function newTokenSecret(
  { metadata }: ServiceAccount,
  secretName: string,
  options: TokenOptions,
): Promise<Secret> {
  const { name = '', uid = '', namespace = '' } = metadata;
  const secret: Secret = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: {
      name: secretName,
      namespace,
      annotations: { [serviceAccountNameAnnotation]: name, [serviceAccountUidAnnotation]: uid },
    },
    type: secretTypes.serviceAccountToken,
  };
  return { ...secret, data: await completeData(secret, uid, options) };
}

/** The secret's data with what is missing in it. A token that is there stays, the certificate follows the server's. */
export async function completeData(
  { metadata, data = {} }: Secret,
  uid: string,
  { issueToken, authority }: TokenOptions,
): Promise<Record<string, string>> {
  const { name: secretName = '', namespace = '', annotations = {} } = metadata;
  const account = { name: annotations[serviceAccountNameAnnotation] ?? '', uid };
  const complete = { ...data };
  const certificate = authority?.();
  if (certificate !== undefined) complete['ca.crt'] = base64(certificate);
  complete['namespace'] ||= base64(namespace);
  complete['token'] ||= base64(await issueToken({ namespace, account, secretName }));
  return complete;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The name of the account that a token secret is for. */
export function accountNameOf({ metadata }: Secret): string {
  return metadata.annotations?.[serviceAccountNameAnnotation] ?? '';
}

/** Whether the secret is for this very account. One that does not say which yet is for whoever has the name. */
export function isTokenOf(secret: Secret, { metadata }: ServiceAccount): boolean {
  const uid = secret.metadata.annotations?.[serviceAccountUidAnnotation];
  return accountNameOf(secret) === metadata.name && (!uid || uid === metadata.uid);
}
