import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { CertificateIssuer, CertificateRequest } from './issue-certificate.ts';
import { coversName, createKeyPair, openKeyPair, type KeyPair, type OpenedPair } from './key-pair.ts';
import type { PairStore } from './pair-store.ts';

const day = 24 * 60 * 60 * 1000;
/** How long a pair is good for. */
export const pairLife = 365 * day;
/** A pair with less left than this is replaced; it leaves a long time in which a failing renewal can be noticed. */
const renewBefore = 90 * day;
/** Clients whose clocks run behind accept a fresh certificate all the same. */
const clockTolerance = 5 * 60 * 1000;

/** Where pairs are kept, and what their making needs. */
export interface PairKeeping {
  readonly store: PairStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface WantedPair extends Pick<CertificateRequest, 'subject' | 'use' | 'names'> {
  /** Under which it is stored. */
  readonly name: string;
}

/** Who signs certificates. */
export interface PairSigner {
  readonly opened: OpenedPair;
  readonly issuer: CertificateIssuer;
}

/** The pair that is stored where it is good, or a new one. One without a signer signs itself. */
export async function providePair(
  wanted: WantedPair,
  signer: PairSigner | undefined,
  { store, clock, logger }: PairKeeping,
): Promise<KeyPair> {
  const now = clock.now();
  const { certificate, key } = await store.read(wanted.name);
  if (certificate !== undefined) {
    const pair = { certificate, key: key ?? '' };
    const flaw = findFlaw(pair, wanted, signer, now);
    if (!flaw) return pair;
    logger.info('certificate renewed', { certificate: wanted.name, because: flaw });
  }
  const { notBefore, notAfter } = lifeFrom(now, pairLife);
  const life = { notBefore, notAfter: Math.min(notAfter, signer?.opened.notAfter ?? Infinity) };
  const { subject, use, names } = wanted;
  const pair = await createKeyPair({ subject, use, names, ...life }, signer?.issuer);
  await store.write(wanted.name, pair);
  return pair;
}

/** Why a stored pair has to be replaced; undefined when it is good. */
function findFlaw(pair: KeyPair, wanted: WantedPair, signer: PairSigner | undefined, now: number): string | undefined {
  let opened: OpenedPair;
  try {
    opened = openKeyPair(pair);
  } catch (error) {
    return `it cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
  const { publicKey } = (signer?.opened ?? opened).certificate;
  if (!opened.certificate.verify(publicKey)) return 'another authority signed it';
  if (opened.notBefore > now) return 'it is not valid yet';
  if (opened.notAfter - now < renewBefore) return 'it is about to expire';
  const missing = wanted.names?.find((name) => !coversName(opened.certificate, name));
  return missing === undefined ? undefined : `it does not stand for ${missing}`;
}

export function lifeFrom(now: number, length: number): Pick<CertificateRequest, 'notBefore' | 'notAfter'> {
  return { notBefore: now - clockTolerance, notAfter: now + length };
}
