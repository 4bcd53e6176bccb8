import { every, type Timer } from '../../base/clock.ts';
import { KeptPair } from './kept-pair.ts';
import { createKeyPair, openKeyPair, type KeyPair } from './key-pair.ts';
import { wantedNodePair } from './node-pair.ts';
import type { PairStore } from './pair-store.ts';
import { lifeFrom, pairLife, providePair, type PairKeeping, type PairSigner } from './provide-pair.ts';

const day = 24 * 60 * 60 * 1000;
const authorityLife = 3650 * day;

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

export interface CertificateKeeperOptions extends PairKeeping {
  /** Host names and addresses that the serving certificate must stand for. */
  readonly names: readonly string[];
}

/** Makes certificates where there are none, keeps those that are good, and renews them in time while it is open. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  readonly #listeners = new Set<(certificates: Certificates) => void>();
  readonly #nodePairs: KeptPair[] = [];
  readonly #timer: Timer;
  #authority: Authority;
  #current: Certificates;
  /** The renewal under way: two at once would write over each other. */
  #renewal: Promise<void> | undefined;

  private constructor(options: CertificateKeeperOptions, { authority, certificates }: Provided) {
    this.#options = options;
    this.#authority = authority;
    this.#current = certificates;
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

  /** The pair that a node of this cluster serves its endpoint with, signed by the cluster's authority. */
  async nodePair(node: string, names: readonly string[]): Promise<KeyPair> {
    return providePair(wantedNodePair(node, names), this.#authority, this.#options);
  }

  /** The same pair, renewed in time as all others are. */
  async keepNodePair(node: string, names: readonly string[]): Promise<KeptPair> {
    const pair = await KeptPair.open(() => this.nodePair(node, names));
    this.#nodePairs.push(pair);
    return pair;
  }

  async #replace(): Promise<void> {
    const before = this.#current;
    const { authority, certificates: after } = await provide(this.#options);
    this.#authority = authority;
    this.#current = after;
    const pairs = ['serving', 'admin', 'kubeletClient'] as const;
    if (pairs.some((name) => before[name].certificate !== after[name].certificate)) {
      for (const listener of this.#listeners) listener(after);
    }
    // One after the other, and after the authority: whoever hears of a new pair finds the authority that has signed it.
    for (const pair of this.#nodePairs) await pair.renew();
  }

  close(): void {
    this.#timer.cancel();
    this.#listeners.clear();
    this.#nodePairs.length = 0;
  }
}

interface Provided {
  readonly authority: Authority;
  readonly certificates: Certificates;
}

async function provide(options: CertificateKeeperOptions): Promise<Provided> {
  const authority = await provideAuthority(options);
  const server = { name: 'apiserver', subject: servingSubject, use: 'server', names: options.names } as const;
  const user = { name: 'admin', subject: adminSubject, use: 'client' } as const;
  const client = { name: 'kubelet-client', subject: { commonName: kubeletClientName }, use: 'client' } as const;
  const [serving, admin, kubeletClient] = await Promise.all([
    providePair(server, authority, options),
    providePair(user, authority, options),
    providePair(client, authority, options),
  ]);
  const certificates = { authority: authority.pair.certificate, serving, admin, kubeletClient };
  return { authority, certificates };
}

interface Authority extends PairSigner {
  readonly pair: KeyPair;
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
