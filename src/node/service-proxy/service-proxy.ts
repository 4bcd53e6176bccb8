import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import type { Endpoints } from '../../kinds/core/endpoints.ts';
import type { Service } from '../../kinds/core/service.ts';
import type { AddressManager } from './addresses/address-manager.ts';
import { Balancer } from './balancer.ts';
import { BindProblem } from './bind-problem.ts';
import { readyEndpoints } from './endpoint.ts';
import { clusterAddress, portalKey, portalsOf, portalText, type ServicePortal } from './portal.ts';
import { Portals } from './portals.ts';
import type { PortalProblem, ProblemReports } from './problem-reports.ts';
import { OpenSockets } from './tcp/open-sockets.ts';

export interface ServiceProxyOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly addresses: AddressManager;
  readonly reports: ProblemReports;
  /** Empty for all addresses of the machine. */
  readonly nodePortAddress: string;
  readonly mostSockets: number;
}

/** What is known of a service, with one balancer for each of its ports. */
interface Served {
  readonly service: Service;
  readonly balancers: ReadonlyMap<string, Balancer>;
}

const retries = { firstMs: 1000, longestMs: 60_000 };

/**
 * Keeps the portals of services as the services and their endpoints say. What is said of endpoints counts at once; portals are opened and closed
 * by a queue, one service at a time.
 */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  readonly #services = new Map<string, Served>();
  readonly #portals: Portals;
  readonly #sockets: OpenSockets;
  readonly #queue: WorkQueue;
  /** The address that is held for a service. */
  readonly #held = new Map<string, string>();
  /** Services with portals that could not be opened: what another one gives up may be what they wait for. */
  readonly #incomplete = new Set<string>();

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
    const { clock, logger, mostSockets: bound } = options;
    this.#sockets = new OpenSockets({
      bound,
      onFull: () => logger.warn('connections to services are refused: too many are open', { sockets: bound }),
    });
    this.#queue = new WorkQueue({ clock, work: (key) => this.#work(key), backoff: retries });
    this.#portals = new Portals({ clock, logger, sockets: this.#sockets, onLost: (key) => this.#queue.add(key) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle;
  }

  settled(): Promise<void> {
    return this.#queue.idle();
  }

  /** Takes note of what a service and its endpoints are now. */
  set(key: string, service: Service | undefined, endpoints: Endpoints | undefined): void {
    if (service) this.#services.set(key, this.#served(key, service, endpoints));
    else if (!this.#services.delete(key)) return;
    this.#queue.add(key);
  }

  /** Ends everything: listeners, connections, and what was done to have the addresses. */
  async close(): Promise<void> {
    await this.#queue.close();
    const closed = this.#portals.closeAll();
    await this.#sockets.close();
    await closed;
    for (const address of this.#held.values()) await this.#options.addresses.release(address);
    this.#held.clear();
  }

  #served(key: string, service: Service, endpoints: Endpoints | undefined): Served {
    const before = this.#services.get(key)?.balancers;
    const isSticky = service.spec?.sessionAffinity === 'ClientIP';
    const balancers = new Map<string, Balancer>();
    for (const { name = '' } of service.spec?.ports ?? []) {
      const balancer = before?.get(name) ?? new Balancer(this.#options);
      balancer.set({ endpoints: readyEndpoints(endpoints, name), isSticky });
      balancers.set(name, balancer);
    }
    // Ports that are gone may still be open for a moment.
    for (const [name, balancer] of before ?? []) {
      if (!balancers.has(name)) balancer.set({ endpoints: [], isSticky });
    }
    return { service, balancers };
  }

  async #work(key: string): Promise<void> {
    try {
      await this.#sync(key);
    } catch (error) {
      this.#options.logger.error('a service could not be set up on this node', { service: key, error });
      this.#queue.addRateLimited(key);
    }
  }

  async #sync(key: string): Promise<void> {
    const served = this.#services.get(key);
    const all = served ? portalsOf(served.service, this.#options.nodePortAddress) : [];
    // Where nobody answers nothing is open: whoever connects is refused as by a pod that is not there.
    const wanted = all.filter(({ portName }) => !served!.balancers.get(portName)!.isEmpty);
    this.#closeOthers(key, wanted);
    await this.#releaseOther(key, served && clusterAddress(served.service));
    if (!served) return this.#forget(key);
    const problems = await this.#open(key, served, wanted);
    this.#options.reports.update(key, served.service, problems.filter(isWorthTelling));
    if (problems.length === 0) return this.#complete(key);
    this.#incomplete.add(key);
    this.#queue.addRateLimited(key);
  }

  #closeOthers(key: string, wanted: readonly ServicePortal[]): void {
    const keys = new Set(wanted.map(portalKey));
    const others = this.#portals.of(key).filter((portal) => !keys.has(portalKey(portal)));
    for (const portal of others) this.#portals.close(portal);
    if (others.length === 0) return;
    for (const waiting of this.#incomplete) if (waiting !== key) this.#queue.add(waiting);
  }

  async #releaseOther(key: string, address: string | undefined): Promise<void> {
    const held = this.#held.get(key);
    if (held === undefined || held === address) return;
    this.#held.delete(key);
    await this.#options.addresses.release(held);
  }

  #forget(key: string): void {
    this.#complete(key);
    this.#options.reports.forget(key);
  }

  #complete(key: string): void {
    this.#incomplete.delete(key);
    this.#queue.forget(key);
  }

  async #open(key: string, { service, balancers }: Served, wanted: readonly ServicePortal[]): Promise<FoundProblem[]> {
    const problems: FoundProblem[] = [];
    const address = clusterAddress(service);
    if (address !== '' && !this.#held.has(key)) {
      const problem = await problemOf(this.#options.addresses.hold(address));
      if (problem) problems.push({ where: address, problem, origin: 'cluster' });
      else this.#held.set(key, address);
    }
    for (const portal of wanted) {
      if (portal.origin === 'cluster' && !this.#held.has(key)) continue;
      const problem = await problemOf(this.#portals.open(portal, key, balancers.get(portal.portName)!));
      if (problem) problems.push({ where: portalText(portal), problem, origin: portal.origin });
    }
    return problems;
  }
}

interface FoundProblem extends PortalProblem {
  readonly origin: ServicePortal['origin'];
}

/** An external address that is not on this machine is on another one. */
function isWorthTelling({ origin, problem }: FoundProblem): boolean {
  return origin !== 'external' || problem.what !== 'address';
}

async function problemOf(attempt: Promise<void>): Promise<BindProblem | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    if (error instanceof BindProblem) return error;
    throw error;
  }
}
