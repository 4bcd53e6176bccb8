import { createHash, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import * as asn1 from 'asn1js';
import { addressBytes } from './address-bytes.ts';

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

/** The third version of X.509 counts from zero. */
const versionThree = 2;

/** An X.509 certificate as PEM, signed with ECDSA and SHA-256. */
export function issueCertificate(request: CertificateRequest, issuer: CertificateIssuer): string {
  const algorithm = sequence(identifier(identifiers.ecdsaWithSha256));
  const body = sequence(
    explicit(0, new asn1.Integer({ value: versionThree })),
    new asn1.Integer({ valueHex: serialNumber() }),
    algorithm,
    nameOf(issuer.subject),
    sequence(moment(request.notBefore), moment(request.notAfter)),
    nameOf(request.subject),
    asn1.fromBER(subjectPublicKey(request.publicKey)).result,
    explicit(3, sequence(...extensionsOf(request, issuer))),
  );
  const signature = sign('sha256', encoded(body), issuer.privateKey);
  return toPem('CERTIFICATE', encoded(sequence(body, algorithm, new asn1.BitString({ valueHex: signature }))));
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Neither zero nor negative, whatever was drawn.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function nameOf(subject: CertificateSubject): asn1.Sequence {
  const part = (type: string, value: string): asn1.Set =>
    new asn1.Set({ value: [sequence(identifier(type), new asn1.Utf8String({ value }))] });
  const organizations = (subject.organizations ?? []).map((name) => part(identifiers.organization, name));
  return sequence(...organizations, part(identifiers.commonName, subject.commonName));
}

/** Certificates write years from 2050 on with four digits, those before with two. */
function moment(ms: number): asn1.UTCTime | asn1.GeneralizedTime {
  const valueDate = new Date(ms - (ms % 1000));
  return valueDate.getUTCFullYear() < 2050 ? new asn1.UTCTime({ valueDate }) : new asn1.GeneralizedTime({ valueDate });
}

function extensionsOf(request: CertificateRequest, issuer: CertificateIssuer): asn1.Sequence[] {
  const isAuthority = request.use === 'authority';
  const issuerKey = keyIdentifier(createPublicKey(issuer.privateKey));
  const constraints = isAuthority ? sequence(new asn1.Boolean({ value: true })) : sequence();
  const extensions = [
    extension(identifiers.basicConstraints, constraints, 'critical'),
    extension(identifiers.keyUsage, keyUsage(isAuthority), 'critical'),
    extension(identifiers.subjectKey, new asn1.OctetString({ valueHex: keyIdentifier(request.publicKey) })),
    extension(identifiers.authorityKey, sequence(implicit(0, issuerKey))),
  ];
  if (!isAuthority) {
    const use = request.use === 'server' ? identifiers.serverAuthentication : identifiers.clientAuthentication;
    extensions.push(extension(identifiers.extendedKeyUsage, sequence(identifier(use))));
  }
  if (request.names?.length) {
    extensions.push(extension(identifiers.alternativeNames, sequence(...request.names.map(alternativeName))));
  }
  return extensions;
}

function extension(type: string, value: asn1.BaseBlock, critical?: 'critical'): asn1.Sequence {
  const flags = critical ? [new asn1.Boolean({ value: true })] : [];
  return sequence(identifier(type), ...flags, new asn1.OctetString({ valueHex: encoded(value) }));
}

/** Bit 0 is "digital signature"; bits 5 and 6 are the signing of certificates and of revocation lists. */
function keyUsage(isAuthority: boolean): asn1.BitString {
  return isAuthority
    ? new asn1.BitString({ valueHex: Buffer.from([0b1000_0110]), unusedBits: 1 })
    : new asn1.BitString({ valueHex: Buffer.from([0b1000_0000]), unusedBits: 7 });
}

function subjectPublicKey(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha256').update(subjectPublicKey(key)).digest().subarray(0, 20);
}

function alternativeName(name: string): asn1.Primitive {
  return isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name, 'latin1'));
}

function sequence(...value: asn1.BaseBlock[]): asn1.Sequence {
  return new asn1.Sequence({ value });
}

function identifier(value: string): asn1.ObjectIdentifier {
  return new asn1.ObjectIdentifier({ value });
}

const contextSpecific = 3;

/** `[n]` around a whole value. */
function explicit(n: number, value: asn1.BaseBlock): asn1.Constructed {
  return new asn1.Constructed({ idBlock: { tagClass: contextSpecific, tagNumber: n }, value: [value] });
}

/** `[n]` instead of a value's own tag. */
function implicit(n: number, valueHex: Buffer): asn1.Primitive {
  return new asn1.Primitive({ idBlock: { tagClass: contextSpecific, tagNumber: n }, valueHex });
}

function encoded(value: asn1.BaseBlock): Buffer {
  return Buffer.from(value.toBER());
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
