import { createPrivateKey, generateKeyPair, X509Certificate, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { CertificateIssuer, CertificateRequest } from './issue-certificate.ts';

/** A certificate and its private key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const generate = promisify(generateKeyPair);

/** Makes a key and has its certificate signed by `issuer`, or by itself where there is none. */
export async function createKeyPair(
  request: Omit<CertificateRequest, 'publicKey'>,
  issuer?: CertificateIssuer,
): Promise<KeyPair> {
  const keys = await generate('ec', { namedCurve: 'P-256' });
  // On demand: a server that finds its certificates does not wait for the library that writes them.
  const { issueCertificate } = await import('./issue-certificate.ts');
  const certificate = issueCertificate(
    { ...request, publicKey: keys.publicKey },
    issuer ?? { subject: request.subject, privateKey: keys.privateKey },
  );
  return { certificate, key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** A pair that was read and found to belong together. */
export interface OpenedPair {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Throws where either part is damaged or the key is not the certificate's. */
export function openKeyPair(pair: KeyPair): OpenedPair {
  const certificate = new X509Certificate(pair.certificate);
  const key = createPrivateKey(pair.key);
  if (!certificate.checkPrivateKey(key)) throw new Error('the private key does not belong to the certificate');
  const notBefore = Date.parse(certificate.validFrom);
  const notAfter = Date.parse(certificate.validTo);
  return { certificate, key, notBefore, notAfter };
}

/** Whether the certificate stands for this host name or IP address. */
export function coversName(certificate: X509Certificate, name: string): boolean {
  const found = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' });
  return found !== undefined;
}
