import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Balancer } from './balancer.ts';
import { BindProblem, bindProblem } from './bind-problem.ts';
import { portalKey, type Portal } from './portal.ts';
import type { PortalListener } from './portal-listener.ts';
import { listenTcp } from './tcp/listen-tcp.ts';
import type { OpenSockets } from './tcp/open-sockets.ts';
import { listenUdp } from './udp/listen-udp.ts';

export interface PortalsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sockets: OpenSockets;
  /** Called with the owner of a portal that was closed because of another; it may be opened again. */
  onLost(owner: string): void;
}

/** Which service a portal belongs to, and who answers there. */
interface Route {
  readonly portal: Portal;
  readonly owner: string;
  readonly balancer: Balancer;
}

/**
 * The portals of a node: each belongs to one service at a time. Calls may not overlap.
 *
 * The system gives a TCP port either on all addresses or on single ones. While it is open on all, the listener there also takes what is for single
 * addresses, and tells them apart by the address that a connection was made to.
 */
export class Portals {
  readonly #options: PortalsOptions;
  readonly #routes = new Map<string, Route>();
  readonly #keysByOwner = new Map<string, Set<string>>();
  /** Under keys of routes; not every route has its own. */
  readonly #listeners = new Map<string, PortalListener>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: PortalsOptions) {
    this.#options = options;
  }

  /** The portals that a service has open. */
  of(owner: string): Portal[] {
    return [...(this.#keysByOwner.get(owner) ?? [])].map((key) => this.#routes.get(key)!.portal);
  }

  /** Opens a portal, or lets another balancer answer at one that the owner has open. Rejects with a `BindProblem`. */
  async open(portal: Portal, owner: string, balancer: Balancer): Promise<void> {
    const key = portalKey(portal);
    const holder = this.#routes.get(key)?.owner ?? owner;
    if (holder !== owner) throw new BindProblem('port', `the service ${holder} has it`);
    this.#setRoute(key, { portal, owner, balancer });
    if (this.#listeners.has(key) || this.#isCovered(portal)) return;
    if (portal.address === '') this.#loseCovered(portal);
    try {
      this.#listeners.set(key, await this.#listen(portal));
    } catch (error) {
      this.#dropRoute(key);
      throw bindProblem(error, portal);
    }
  }

  /** Takes nothing more at a portal; connections made there go on. */
  close(portal: Portal): void {
    const key = portalKey(portal);
    this.#dropRoute(key);
    this.#stop(key);
    if (portal.address === '') this.#loseCovered(portal);
  }

  /** Closes all; resolves when the connections made there have ended, too. */
  async closeAll(): Promise<void> {
    this.#routes.clear();
    this.#keysByOwner.clear();
    for (const key of this.#listeners.keys()) this.#stop(key);
    await Promise.all(this.#closing);
  }

  #setRoute(key: string, route: Route): void {
    this.#routes.set(key, route);
    let keys = this.#keysByOwner.get(route.owner);
    if (!keys) this.#keysByOwner.set(route.owner, (keys = new Set()));
    keys.add(key);
  }

  #dropRoute(key: string): void {
    const owner = this.#routes.get(key)?.owner;
    this.#routes.delete(key);
    if (owner === undefined) return;
    const keys = this.#keysByOwner.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByOwner.delete(owner);
  }

  #isCovered(portal: Portal): boolean {
    return portal.protocol === 'TCP' && this.#listeners.has(portalKey({ ...portal, address: '' }));
  }

  /** Closes what is open on single addresses of a port, for the owners to open it anew in the way that is now right. */
  #loseCovered({ protocol, port }: Portal): void {
    if (protocol !== 'TCP') return;
    for (const [key, route] of this.#routes) {
      const { portal, owner } = route;
      if (portal.protocol !== protocol || portal.port !== port || portal.address === '') continue;
      this.#dropRoute(key);
      this.#stop(key);
      this.#options.onLost(owner);
    }
  }

  #stop(key: string): void {
    const closed = this.#listeners.get(key)?.close();
    this.#listeners.delete(key);
    if (!closed) return;
    this.#closing.add(closed);
    void closed.finally(() => this.#closing.delete(closed));
  }

  #listen(portal: Portal): Promise<PortalListener> {
    const own = (): Balancer | undefined => this.#routes.get(portalKey(portal))?.balancer;
    if (portal.protocol === 'UDP') return listenUdp({ ...this.#options, portal, balancer: own });
    return listenTcp({
      ...this.#options,
      portal,
      balancerFor: (address) => this.#routes.get(portalKey({ ...portal, address }))?.balancer ?? own(),
    });
  }
}
