import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { Balancer } from '../service-proxy/balancer.ts';
import type { Portal } from '../service-proxy/portal.ts';
import { Portals } from '../service-proxy/portals.ts';
import { OpenSockets } from '../service-proxy/tcp/open-sockets.ts';
import { HostPort } from './host-port.ts';
import { hostPortsOf, type HostPortWish } from './host-port-wish.ts';

export interface HostPortsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** The node's address. */
  readonly hostIP: string;
  /** Where ports are opened that ask for no address; on that of the node when absent. */
  readonly hostPortAddresses?: readonly string[];
  /** A port that a pod asks for cannot be had. */
  readonly onProblem: (uid: string, message: string) => void;
}

/** The pod that ports lead to. */
interface PortTarget {
  readonly uid: string;
  readonly podIP: string;
  readonly hasOwnPorts: boolean;
}

const mostSockets = 8192;

/** The ports of a node that lead to its pods. */
export class HostPorts {
  readonly #options: HostPortsOptions;
  readonly #sockets: OpenSockets;
  readonly #portals: Portals;
  readonly #byPod = new Map<string, readonly HostPort[]>();
  /** Ports are opened one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: HostPortsOptions) {
    this.#options = options;
    const { clock, logger } = options;
    const onFull = (): void => logger.warn('ports of the node take no more connections', { mostSockets });
    this.#sockets = new OpenSockets({ bound: mostSockets, onFull });
    // No port is opened on all addresses and on single ones: who came first has it.
    this.#portals = new Portals({ clock, logger, sockets: this.#sockets, onLost: () => undefined });
  }

  /**
   * Lets the ports that a pod asks for lead to it, from when its programs listen. A pod on the network of its node has them anyway. `hasOwnPorts` says
   * whether its programs leave those of the node alone.
   */
  open(pod: Pod, podIP: string, hasOwnPorts = false): void {
    const { uid = '' } = pod.metadata;
    if (this.#byPod.has(uid) || pod.spec.hostNetwork) return;
    const target = { uid, podIP, hasOwnPorts };
    this.#byPod.set(
      uid,
      hostPortsOf(pod).flatMap((wish) => this.#addressesFor(wish).map((address) => this.#openOne(target, wish, address))), // prettier-ignore
    );
  }

  close(uid: string): void {
    for (const port of this.#byPod.get(uid) ?? []) port.close();
    this.#byPod.delete(uid);
  }

  /** Ends all connections as well. */
  async closeAll(): Promise<void> {
    for (const uid of Array.from(this.#byPod.keys())) this.close(uid);
    await this.#turn;
    await this.#sockets.close();
    await this.#portals.closeAll();
  }

  #addressesFor({ address }: HostPortWish): readonly string[] {
    const { hostIP, hostPortAddresses = [hostIP] } = this.#options;
    if (address === '0.0.0.0') return [''];
    return address ? [address] : hostPortAddresses;
  }

  #openOne({ uid, podIP, hasOwnPorts }: PortTarget, wish: HostPortWish, address: string): HostPort {
    const { clock, onProblem } = this.#options;
    const portal: Portal = { protocol: wish.protocol, address, port: wish.port };
    const balancer = new Balancer(this.#options);
    balancer.set({ endpoints: [{ ip: podIP, port: wish.containerPort }], isSticky: false });
    return new HostPort({
      wish,
      podIP,
      hasOwnPorts,
      clock,
      bind: () => this.#inTurn(() => this.#portals.open(portal, uid, balancer)),
      unbind: () => this.#portals.close(portal),
      onProblem: (message) => onProblem(uid, `port ${wish.port} of the node cannot be had: ${message}`),
    });
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(act);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
