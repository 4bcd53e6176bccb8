import { every, type Clock, type Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { CertificateIssuer, CertificateRequest } from './issue-certificate.ts';
import { coversName, createKeyPair, openKeyPair, type KeyPair, type OpenedPair } from './key-pair.ts';
import type { PairStore } from './pair-store.ts';

const day = 24 * 60 * 60 * 1000;
const authorityLife = 3650 * day;
const pairLife = 365 * day;
/** A pair with less left than this is replaced; it leaves a long time in which a failing renewal can be noticed. */
const renewBefore = 90 * day;
/** Clients whose clocks run behind accept a fresh certificate all the same. */
const clockTolerance = 5 * 60 * 1000;

const authoritySubject = { commonName: 'wherry-ca' };
const servingSubject = { commonName: 'wherry-apiserver' };
const adminSubject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/**
 * What the server calls itself towards nodes, which let nobody else in. It is in no group: a request of the server that is led back to itself
 * may do nothing there.
 */
export const kubeletClientName = 'kube-apiserver';

/** All that a server and its first user need: the authority's certificate, the server's pair, the administrator's, and that for nodes. */
export interface Certificates {
  readonly authority: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  /** What the server shows to nodes. */
  readonly kubeletClient: KeyPair;
}

export interface CertificateKeeperOptions {
  readonly store: PairStore;
  /** Host names and addresses that the serving certificate must stand for. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes certificates where there are none, keeps those that are good, and renews them in time while it is open. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  readonly #listeners = new Set<(certificates: Certificates) => void>();
  readonly #timer: Timer;
  #current: Certificates;
  /** The renewal under way: two at once would write over each other. */
  #renewal: Promise<void> | undefined;

  private constructor(options: CertificateKeeperOptions, current: Certificates) {
    this.#options = options;
    this.#current = current;
    this.#timer = every(options.clock, day, () => {
      this.renew().catch((error: unknown) => options.logger.error('certificates were not renewed', { error }));
    });
  }

  static async open(options: CertificateKeeperOptions): Promise<CertificateKeeper> {
    return new CertificateKeeper(options, await provide(options));
  }

  get current(): Certificates {
    return this.#current;
  }

  /** Called with the new certificates whenever one of them is replaced. */
  onRenewal(listener: (certificates: Certificates) => void): void {
    this.#listeners.add(listener);
  }

  /** Replaces what is about to expire; happens by itself once a day. */
  renew(): Promise<void> {
    this.#renewal ??= this.#replace().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** The pair that a node serves its endpoint with; `names` are the addresses and names under which it is reached. */
  async nodePair(node: string, names: readonly string[]): Promise<KeyPair> {
    const flaw = dnsSubdomain.check(node);
    if (flaw) throw new RangeError(`${JSON.stringify(node)} cannot be the name of a node: ${flaw}`);
    const subject = { commonName: `system:node:${node}`, organizations: ['system:nodes'] };
    const wanted = { name: `node-${node}`, subject, use: 'server', names } as const;
    return providePair(wanted, await provideAuthority(this.#options), this.#options);
  }

  async #replace(): Promise<void> {
    const before = this.#current;
    const after = await provide(this.#options);
    this.#current = after;
    const pairs = ['serving', 'admin', 'kubeletClient'] as const;
    if (pairs.every((name) => before[name].certificate === after[name].certificate)) return;
    for (const listener of this.#listeners) listener(after);
  }

  close(): void {
    this.#timer.cancel();
    this.#listeners.clear();
  }
}

async function provide(options: CertificateKeeperOptions): Promise<Certificates> {
  const authority = await provideAuthority(options);
  const serving = { name: 'apiserver', subject: servingSubject, use: 'server', names: options.names } as const;
  const admin = { name: 'admin', subject: adminSubject, use: 'client' } as const;
  const kubeletClient = { name: 'kubelet-client', subject: { commonName: kubeletClientName }, use: 'client' } as const;
  const pairs = await Promise.all([
    providePair(serving, authority, options),
    providePair(admin, authority, options),
    providePair(kubeletClient, authority, options),
  ]);
  return { authority: authority.pair.certificate, serving: pairs[0], admin: pairs[1], kubeletClient: pairs[2] };
}

interface Authority {
  readonly pair: KeyPair;
  readonly opened: OpenedPair;
  readonly issuer: CertificateIssuer;
}

/** An authority that is there but unusable is never replaced: every client that trusts it would be cut off without a word. */
async function provideAuthority({ store, clock, logger }: CertificateKeeperOptions): Promise<Authority> {
  const now = clock.now();
  const { certificate, key } = await store.read('ca');
  if (certificate !== undefined) {
    const authority = openAuthority({ certificate, key: key ?? '' }, store);
    if (authority.opened.notAfter - now >= pairLife) return authority;
    logger.warn('the certificate authority is about to expire and is replaced; older kubeconfig files stop working');
  }
  const pair = await createKeyPair({ subject: authoritySubject, use: 'authority', ...lifeFrom(now, authorityLife) });
  await store.write('ca', pair);
  return openAuthority(pair, store);
}

function openAuthority(pair: KeyPair, store: PairStore): Authority {
  try {
    const opened = openKeyPair(pair);
    if (opened.certificate.subject !== `CN=${authoritySubject.commonName}` || !opened.certificate.ca) {
      throw new Error(`its subject is ${JSON.stringify(opened.certificate.subject)}, not one that Wherry made`);
    }
    if (opened.key.asymmetricKeyType !== 'ec') throw new Error('its key is not an elliptic-curve key');
    return { pair, opened, issuer: { subject: authoritySubject, privateKey: opened.key } };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const advice = 'restore both files, or remove them to start with a new authority';
    throw new Error(`the certificate authority (ca.crt, ca.key) in ${store.place} cannot be used: ${why}; ${advice}`, {
      cause,
    });
  }
}

interface WantedPair extends Pick<CertificateRequest, 'subject' | 'use' | 'names'> {
  readonly name: string;
}

async function providePair(
  wanted: WantedPair,
  authority: Authority,
  { store, clock, logger }: CertificateKeeperOptions,
): Promise<KeyPair> {
  const now = clock.now();
  const { certificate, key } = await store.read(wanted.name);
  if (certificate !== undefined) {
    const pair = { certificate, key: key ?? '' };
    const flaw = findFlaw(pair, wanted, authority, now);
    if (!flaw) return pair;
    logger.info('certificate renewed', { certificate: wanted.name, because: flaw });
  }
  const { notBefore, notAfter } = lifeFrom(now, pairLife);
  const life = { notBefore, notAfter: Math.min(notAfter, authority.opened.notAfter) };
  const { subject, use, names } = wanted;
  const pair = await createKeyPair({ subject, use, names, ...life }, authority.issuer);
  await store.write(wanted.name, pair);
  return pair;
}

/** Why a stored pair has to be replaced; undefined when it is good. */
function findFlaw(pair: KeyPair, wanted: WantedPair, authority: Authority, now: number): string | undefined {
  let opened: OpenedPair;
  try {
    opened = openKeyPair(pair);
  } catch (error) {
    return `it cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
  if (!opened.certificate.verify(authority.opened.certificate.publicKey)) return 'another authority signed it';
  if (opened.notBefore > now) return 'it is not valid yet';
  if (opened.notAfter - now < renewBefore) return 'it is about to expire';
  const missing = wanted.names?.find((name) => !coversName(opened.certificate, name));
  return missing === undefined ? undefined : `it does not stand for ${missing}`;
}

function lifeFrom(now: number, length: number): Pick<CertificateRequest, 'notBefore' | 'notAfter'> {
  return { notBefore: now - clockTolerance, notAfter: now + length };
}
