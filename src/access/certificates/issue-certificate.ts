import { createHash, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes } from './address-bytes.ts';
import * as der from './der.ts';

/** Whom a certificate is about. The API takes `commonName` for the user and `organizations` for its groups. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export type CertificateUse = 'authority' | 'server' | 'client';

export interface CertificateRequest {
  readonly subject: CertificateSubject;
  readonly publicKey: KeyObject;
  readonly use: CertificateUse;
  /** Host names and IP addresses that a server certificate stands for. */
  readonly names?: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Who signs: for a certificate that signs itself, its own subject and key. The key is an elliptic-curve one. */
export interface CertificateIssuer {
  readonly subject: CertificateSubject;
  readonly privateKey: KeyObject;
}

const identifiers = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
  clientAuthentication: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
};

const versionThree = Buffer.from([2]);

/** An X.509 certificate as PEM, signed with ECDSA and SHA-256. */
export function issueCertificate(request: CertificateRequest, issuer: CertificateIssuer): string {
  const algorithm = der.sequence(der.objectIdentifier(identifiers.ecdsaWithSha256));
  const body = der.sequence(
    der.explicit(0, der.integer(versionThree)),
    der.integer(serialNumber()),
    algorithm,
    encodeSubject(issuer.subject),
    der.sequence(der.time(request.notBefore), der.time(request.notAfter)),
    encodeSubject(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...extensionsOf(request, issuer))),
  );
  const signature = sign('sha256', body, issuer.privateKey);
  return toPem('CERTIFICATE', der.sequence(body, algorithm, der.bitString(signature)));
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Neither zero nor negative, whatever was drawn.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function encodeSubject(subject: CertificateSubject): Buffer {
  const part = (identifier: string, text: string): Buffer =>
    der.setOf(der.sequence(der.objectIdentifier(identifier), der.utf8String(text)));
  const organizations = (subject.organizations ?? []).map((name) => part(identifiers.organization, name));
  return der.sequence(...organizations, part(identifiers.commonName, subject.commonName));
}

function extensionsOf(request: CertificateRequest, issuer: CertificateIssuer): Buffer[] {
  const isAuthority = request.use === 'authority';
  const issuerKey = keyIdentifier(createPublicKey(issuer.privateKey));
  const extensions = [
    extension(identifiers.basicConstraints, isAuthority ? der.sequence(der.boolean(true)) : der.sequence(), 'critical'),
    extension(identifiers.keyUsage, keyUsage(isAuthority), 'critical'),
    extension(identifiers.subjectKey, der.octetString(keyIdentifier(request.publicKey))),
    extension(identifiers.authorityKey, der.sequence(der.implicit(0, issuerKey))),
  ];
  if (!isAuthority) {
    const use = request.use === 'server' ? identifiers.serverAuthentication : identifiers.clientAuthentication;
    extensions.push(extension(identifiers.extendedKeyUsage, der.sequence(der.objectIdentifier(use))));
  }
  if (request.names?.length) {
    extensions.push(extension(identifiers.alternativeNames, der.sequence(...request.names.map(alternativeName))));
  }
  return extensions;
}

function extension(identifier: string, value: Buffer, critical?: 'critical'): Buffer {
  const parts = [der.objectIdentifier(identifier), der.octetString(value)];
  if (critical) parts.splice(1, 0, der.boolean(true));
  return der.sequence(...parts);
}

/** Bit 0 is "digital signature"; bits 5 and 6 are the signing of certificates and of revocation lists. */
function keyUsage(isAuthority: boolean): Buffer {
  return isAuthority ? der.bitString(Buffer.from([0b1000_0110]), 1) : der.bitString(Buffer.from([0b1000_0000]), 7);
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

function alternativeName(name: string): Buffer {
  return isIP(name) ? der.implicit(7, addressBytes(name)) : der.implicit(2, Buffer.from(name, 'latin1'));
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
